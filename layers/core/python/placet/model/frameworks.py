"""Names of frameworks that the records themselves know; what there is to know of each stands in `placet.frameworks`."""

UNSAID = (
    "langchain"  # what an entry of the registry is built with that does not say: once the only one an agent handed in
)
OWN = "placet"  # of calls that a person proposes through the gateway, which runs them itself: no framework that one chooses
