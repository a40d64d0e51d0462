"""dstack's gpuhunt: the offers of the simulated market, as its catalog reads them."""

import os

import requests
from gpuhunt import QueryFilter
from gpuhunt.providers import vastai

vastai.bundles_url = os.environ["VAST_URL"] + "/api/v0/bundles/"
assert vastai.bundles_url.startswith("http://127.0.0.1:"), "only against the simulator"

DISK = 20


def told(what):
    print(f"ok  {what}", flush=True)


def offers(query=None, **options):
    return vastai.VastAIProvider(**options).get(query or QueryFilter())


def of(items, spot=False):
    return sorted(int(item.instance_name) for item in items if item.spot is spot)


def refused(status, act):
    try:
        act()
    except requests.HTTPError as error:
        assert error.response.status_code == status, error.response.text
        return error.response.json()
    raise AssertionError(f"nothing was refused where {status} was due")


# The simulated market by hand: simulator/README.md. Unverified, unrentable ones must be asked for.
wanted = QueryFilter(gpu_name=["RTX4090"], min_gpu_count=1, max_gpu_count=1, max_price=0.6, min_disk_size=DISK)
found = offers(wanted)
assert of(found) == [11, 12, 13, 14, 17], of(found)
assert of(found, spot=True) == [11, 12, 13, 14, 17], of(found, spot=True)
first = next(item for item in found if item.instance_name == "11" and not item.spot)
assert first.price == round(0.31 + DISK * 0.15 / 30 / 24, 5), first
assert (first.gpu_name, first.gpu_memory, first.gpu_count) == ("RTX4090", 24.0, 1), first
assert (first.cpu, first.memory, first.location) == (16, 64.35, "se-sweden"), first
spot = next(item for item in found if item.instance_name == "11" and item.spot)
assert spot.provider_data["min_bid"] == 0.1705, spot
told("five RTX 4090, on demand and interruptible, with their prices")

assert of(offers(wanted, community_cloud=False)) == [14], "data centres"
told("data centres alone")
assert of(offers(wanted, extra_filters={"reliability2": {"gte": 0.9}})) == [11, 12, 13, 14], "reliability"
told("a filter of the caller's own")
assert of(offers(QueryFilter(min_compute_capability=(9, 0)))) == [19], "compute capability"
assert of(offers(QueryFilter(gpu_name=["H100"]))) == [19], "H100"
assert of(offers(QueryFilter(min_gpu_count=2))) == [20], "two GPUs"
told("by compute capability, name and count")

assert offers(QueryFilter(gpu_name=["RTX9999"])) == [], "a GPU that nobody has"
told("a GPU that nobody has: no offer")
for what, word, wrong in (("field", "no_such_field", {"no_such_field": {"eq": 1}}), ("operator", "about", {"gpu_ram": {"about": 24}})):
    body = refused(400, lambda: offers(extra_filters=wrong))
    assert word in body["msg"] and body["success"] is False, body
    told(f"an unknown {what}: 400 that names it")
