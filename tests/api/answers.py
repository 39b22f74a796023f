"""What answers of the API say."""


def faults(answer):
    """The code and the place of each problem with what was sent."""
    return [(problem["code"], problem["where"]) for problem in answer.json()["problems"]]
