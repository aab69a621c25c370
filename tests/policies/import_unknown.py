# refused: line 2: placet.policy has no Treshold; Threshold was meant
from placet.policy import Treshold

POLICY = Treshold
