"""Helpers that read answers of the API."""


def faults(answer):
    return [(problem["code"], problem["where"]) for problem in answer.json()["problems"]]
