"""What answers of the API say."""


def faults(answer):
    return [(problem["code"], problem["where"]) for problem in answer.json()["problems"]]
