"""Write services: one function for each action of a person, each in one transaction."""
