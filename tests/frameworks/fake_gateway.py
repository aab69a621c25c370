"""A gateway in this process that follows docs/api.md: stores, decides, hands out permits. Texts cross it as JSON bytes would."""

from __future__ import annotations

import hashlib
import json
import threading
from typing import Any

from placet.client.errors import GatewayRefused, GatewayUnavailable
from placet.client.transport import Answer
from placet.model.canonical import digest, exact_text, parse

GATES = {"get_order": "free", "issue_refund": "pause", "delete_records": "pause"}
RUNS = ("passed", "accepted", "edited")


class FakeGateway:
    """What a `Gateway(transport=...)` talks to. `down` makes it unreachable; `seen` are the requests."""

    def __init__(self, gates: dict[str, str] | None = None) -> None:
        self.gates = dict(gates or GATES)
        self.pauses: dict[str, dict[str, Any]] = {}
        self.permits: dict[str, dict[str, str]] = {}
        self.refused: list[tuple[str, str]] = []
        self.seen: list[tuple[str, str]] = []
        self.leased: set[str] = set()
        self.fences: dict[str, int] = {}
        self.renewed: list[str] = []
        self.down = False
        self.lose_outcomes = False
        self._lock = threading.Lock()

    def send(self, method: str, path: str, body: str | None = None) -> Answer:
        if self.down:
            raise GatewayUnavailable("down")
        with self._lock:
            self.seen.append((method, path))
            return Answer(json.loads(exact_text(self._route(method, path, parse(body) if body else None))), 0.0)

    def decide(self, call: str, state: str, arguments: str = "", reason: str = "") -> None:
        """A person decides (`accepted`, `edited`, `rejected`), or nobody does (`expired`)."""
        held = self.call(call)
        assert held["state"] == "pending"
        held["state"] = state
        held["reason"] = reason
        if arguments:
            held["arguments"] = parse(arguments)
        pause = self.pauses[call.rpartition("-")[0]]
        if all(one["state"] != "pending" for one in pause["calls"].values()):
            pause["state"] = "decided"

    def call(self, call: str) -> dict[str, Any]:
        return self.pauses[call.rpartition("-")[0]]["calls"][call]

    def pending(self) -> list[str]:
        """Calls that wait for a person, oldest first."""
        calls = [pair for pause in self.pauses.values() for pair in pause["calls"].items()]
        return [name for name, call in calls if call["state"] == "pending"]

    def _route(self, method: str, path: str, body: Any) -> dict[str, Any]:
        parts = path.strip("/").split("/")[1:]
        if (method, parts) == ("GET", ["gates"]):
            return {"policy_version": "1", "unknown": "pause", "tools": self.gates}
        if (method, parts) == ("POST", ["pauses"]):
            return self._capture(body)
        if method == "GET" and parts[0] == "pauses":
            return self._view(parts[1])
        if (method, parts) == ("GET", ["resumes"]):
            return {"resumes": [self._view(name) for name, one in self.pauses.items() if one["state"] == "decided"]}
        if (method, parts) == ("POST", ["resumes"]):
            return self._take(body)
        if parts[0] == "resumes" and parts[2] == "lease":
            return self._renew(parts[1], body)
        if parts[0] == "resumes" and parts[2] == "release":
            return self._release(parts[1], body)
        if parts[0] == "resumes":
            return self._resumed(parts[1])
        return {"claim": self._claim, "renew": self._renew_claim, "outcome": self._outcome}[parts[2]](parts[1], body)

    def _capture(self, body: Any) -> dict[str, Any]:
        native = body["native"]
        key = "|".join((body["run"], native["checkpoint_ns"], native["checkpoint_id"]))
        pause = hashlib.sha256(key.encode()).hexdigest()[:26]
        asked = {(item["id"], item["value"]["name"], digest(item["value"]["args"])) for item in native["interrupts"]}
        if pause in self.pauses:
            stored = self.pauses[pause]["asked"]
            if not asked <= stored:
                raise GatewayRefused(409, "pause_differs", "captured with other calls", {"pause": pause})
            return {**self._view(pause), "replayed": True}
        calls = {f"{pause}-{n}": self._call(n, item) for n, item in enumerate(native["interrupts"], 1)}
        waiting = any(call["state"] == "pending" for call in calls.values())
        self.pauses[pause] = {
            "body": body, "asked": asked, "calls": calls, "state": "waiting" if waiting else "decided",
        }  # fmt: skip
        return {**self._view(pause), "replayed": False, "say": "A person has to agree to this first."}

    def _call(self, number: int, item: Any) -> dict[str, Any]:
        value = item["value"]
        small = value["name"] == "issue_refund" and float(value["args"].get("amount", 1e9)) <= 100
        return {
            "tool": value["name"], "framework_call_id": value["tool_call_id"], "interrupt_id": item["id"],
            "state": "passed" if small else "pending", "arguments": value["args"], "reason": "", "number": number,
        }  # fmt: skip

    def _view(self, pause: str) -> dict[str, Any]:
        held = self.pauses[pause]
        native = held["body"]["native"]
        return {
            "pause": pause,
            "run": held["body"]["run"],
            "framework": held["body"]["framework"],
            "state": held["state"],
            "native_ref": {"checkpoint_ns": native["checkpoint_ns"], "checkpoint_id": native["checkpoint_id"]},
            "calls": [self._shown(name, call) for name, call in held["calls"].items()],
        }

    def _shown(self, name: str, call: dict[str, Any]) -> dict[str, Any]:
        kept = ("tool", "framework_call_id", "interrupt_id", "state")
        view = {"call": name, **{field: call[field] for field in kept}}
        if call["state"] == "pending":
            return view
        native: dict[str, Any] = {"type": "reject", "message": call["reason"] or "Nobody decided."}
        if call["state"] in RUNS:
            view |= {"digest": digest(call["arguments"]), "arguments": exact_text(call["arguments"])}
            native = {"type": "approve"}
        if call["state"] == "edited":
            native = {"type": "edit", "edited_action": {"name": call["tool"], "args": call["arguments"]}}
        return {**view, "native": native, "reason": call["reason"] or None}

    def _take(self, body: Any) -> dict[str, Any]:
        wanted = [name for name in self.pauses if body.get("pause") in (None, "", name)]
        free = [name for name in wanted if self.pauses[name]["state"] == "decided" and name not in self.leased]
        free = [name for name in free if name not in body.get("skip", [])]
        taken = free[: body["limit"]]
        self.leased |= set(taken)
        for name in taken:
            self.fences[name] = self.fences.get(name, 0) + 1
        return {"resumes": [{**self._view(name), "fence": self.fences[name]} for name in taken]}

    def _renew(self, pause: str, body: Any) -> dict[str, Any]:
        self.renewed.append(pause)
        if pause not in self.leased or self.fences[pause] != body["fence"]:
            raise GatewayRefused(409, "lease_lost", "")
        return {"pause": pause, "fence": body["fence"], "lease_until": 0}

    def _release(self, pause: str, body: Any) -> dict[str, Any]:
        if pause not in self.leased or self.fences[pause] != body["fence"]:
            raise GatewayRefused(409, "lease_lost", "")
        self.leased.remove(pause)
        return {"pause": pause, "fence": body["fence"], "state": "released"}

    def _resumed(self, pause: str) -> dict[str, Any]:
        if self.pauses[pause]["state"] == "waiting":
            raise GatewayRefused(409, "still_waiting", "")
        replayed = self.pauses[pause]["state"] == "ended"
        self.pauses[pause]["state"] = "ended"
        return {"pause": pause, "state": "ended", "replayed": replayed}

    def _claim(self, name: str, body: Any) -> dict[str, Any]:
        call = self.call(name)
        held = self.permits.get(name)
        members: dict[str, Any] = {}
        if call["state"] not in RUNS:
            code, members = "call_not_approved", {"state": call["state"]}
        elif digest(call["arguments"]) != body["digest"]:
            code = "digest_differs"
        elif held and held["state"] != "claimed":
            code, members = "permit_settled", {"permit": held["state"], "result": held["result"]}
        elif held and held["worker"] != body["worker"]:
            code = "permit_claimed"
        else:
            self.permits[name] = {"worker": body["worker"], "state": "claimed", "result": ""}
            return {
                "call": name, "permit": "claimed", "tool": call["tool"], "arguments": exact_text(call["arguments"]),
                "digest": body["digest"], "idempotency_key": f"key-{name}", "replayed": bool(held),
            }  # fmt: skip
        self.refused.append((name, code))
        raise GatewayRefused(409, code, "", members)

    def _renew_claim(self, name: str, body: Any) -> dict[str, Any]:
        self.renewed.append(name)
        held = self.permits.get(name)
        if not held or (held["worker"], held["state"]) != (body["worker"], "claimed"):
            raise GatewayRefused(409, "claim_lost", "")
        return {"call": name, "permit": "claimed", "until": 0}

    def _outcome(self, name: str, body: Any) -> dict[str, Any]:
        if self.lose_outcomes:
            raise GatewayUnavailable("lost")
        held = self.permits.get(name)
        if not held or held["worker"] != body["worker"]:
            raise GatewayRefused(409, "not_your_permit", "")
        if held["state"] != "claimed":
            raise GatewayRefused(409, "permit_settled", "", {"permit": held["state"]})
        held |= {"state": body["permit"], "result": body["result"]}
        return {"call": name, "permit": body["permit"], "replayed": False}
