# refused: line 2: ImportError: cannot import name 'Treshold' from 'placet.policy'
from placet.policy import Treshold

POLICY = Treshold
