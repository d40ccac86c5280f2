"""Assembler for the protocol of `visa diff --against COMMAND`. Arguments: how to answer, and a file
that gets the number of each request."""

import json
import sys


def answer(mode: str, request: dict) -> dict:
    """Returns the answer to a request."""
    assert request["platform"] == "skl", request
    assert request["text"].startswith(".version "), request
    statement = [line for line in request["text"].splitlines() if line.startswith("    ")][0].strip()
    number = {"id": request["id"]}
    match mode:
        case "accept":
            return number | {"accepted": True}
        case "refuse":
            return number | {"accepted": False, "message": "no such statement"}
        case "print":
            return number | {"accepted": True, "printed": "other " + statement, "bytes": "00"}
        case "stranger":
            return {"id": 1 << 20, "accepted": True}
        case _:
            raise ValueError(mode)


def main() -> None:
    mode, log = sys.argv[1:]
    requests = [json.loads(line) for line in sys.stdin]
    with open(log, "a", encoding="utf-8") as file:
        file.writelines(f"{request['id']}\n" for request in requests)
    if mode == "garbage":
        print("accepted")
        return
    if mode == "silent":
        return
    # Answers may have any order.
    for request in reversed(requests):
        print(json.dumps(answer(mode, request)))


main()
