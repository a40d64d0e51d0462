"""SkyPilot's provisioner for the service: a cluster of two nodes, from run to terminate, and what it must refuse."""

import os
import pathlib
import subprocess
import time

import requests
from sky.adaptors import vast as adaptor
from sky.provision import common
from sky.provision import vast
from sky.provision.vast import instance, utils

# Simulated time is faster than its own pace.
instance.POLL_INTERVAL = 0.5

CLUSTER = "sky-cluster"
KEY = pathlib.Path.home() / "sky-key"
SSH = "ssh -F /dev/null -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"


def config(instance_type="1x-RTX_4090-16-65536", preemptible=False, **provider):
    return common.ProvisionConfig(
        provider_config=provider,
        authentication_config={"ssh_public_key": f"{KEY}.pub"},
        docker_config={},
        node_config={
            "ImageId": "debian:13",
            "InstanceType": instance_type,
            "DiskSize": 20,
            "Preemptible": preemptible,
        },
        count=2,
        tags={},
        resume_stopped_nodes=False,
        ports_to_open_on_launch=None,
    )


def run(**asked):
    return vast.run_instances("Sweden, SE", CLUSTER, CLUSTER, config(**asked))


def faults(*each):
    """From now on, the simulated service does these wrong."""
    requests.post(os.environ["VAST_URL"] + "/_control/faults", json=each, timeout=10).raise_for_status()


def journal():
    """All that was asked of the simulated service, without secrets."""
    return requests.get(os.environ["VAST_URL"] + "/_control/journal", timeout=10).json()


def statuses():
    return sorted(status.name for status, _ in vast.query_instances(CLUSTER, CLUSTER, {}).values())


def refused(kind, sentence, act):
    """Fails unless `act` fails with this kind of error, whose text holds the sentence."""
    try:
        act()
    except kind as error:
        assert sentence in str(error), f"{error!r} does not say {sentence!r}"
        return error
    raise AssertionError(f"nothing was refused where {sentence!r} was due")


def answered(status, word, act):
    """The body of the refusal with this status, whose error or sentence has the word."""
    body = refused(requests.HTTPError, status, act).response.json()
    assert word in f"{body.get('error')} {body.get('msg')}", body
    return body


def told(what):
    print(f"ok  {what}", flush=True)


def log_in(node):
    """By the key that SkyPilot's own onstart wrote to the node's disk; that may take a moment."""
    words = [*SSH.split(), "-i", str(KEY), "-p", str(node.ssh_port), f"root@{node.external_ip}", "cat ~/.vast_api_key"]
    for _ in range(50):
        answer = subprocess.run(words, capture_output=True, text=True, check=False)
        if answer.returncode == 0:
            break
        time.sleep(0.2)
    assert answer.stdout.strip() == os.environ["VAST_API_KEY"], answer


def two_nodes():
    record = run(create_instance_kwargs={"env": "-e A=b", "cancel_unavail": True})
    assert len(record.created_instance_ids) == 2, record
    told("run: two nodes")
    assert statuses() == ["UP", "UP"], statuses()
    told("query: both are up")
    info = vast.get_cluster_info("Sweden, SE", CLUSTER)
    assert info.head_instance_id == str(record.head_instance_id), info
    assert len(info.instances) == 2, info
    for (node,) in info.instances.values():
        assert node.internal_ip == "10.0.2.15" and node.external_ip and node.ssh_port, node
    assert len(utils.get_ssh_ports(CLUSTER)) == 2
    told("cluster info: the head, and where each node answers")
    for (node,) in info.instances.values():
        log_in(node)
    told("the key that it injects by onstart lets it log in to both nodes")
    again = run()
    assert again.created_instance_ids == [], again
    told("run again: nothing more is rented")
    return record


def life(record):
    vast.stop_instances(CLUSTER, {})
    assert statuses() == ["STOPPED", "STOPPED"], statuses()
    told("stop: both are stopped")
    resumed = config()
    resumed.resume_stopped_nodes = True
    vast.run_instances("Sweden, SE", CLUSTER, CLUSTER, resumed)
    assert statuses() == ["UP", "UP"], statuses()
    told("run with resume: both are up")
    vast.terminate_instances(CLUSTER, {}, worker_only=True)
    assert statuses() == ["UP"], statuses()
    vast.terminate_instances(CLUSTER, {})
    assert statuses() == [], statuses()
    told("terminate: the worker, then the head")
    vast.terminate_instances(CLUSTER, {})
    told("terminate again: nothing is left to do")
    body = answered("404", "", lambda: utils.remove(str(record.head_instance_id)))
    assert body["success"] is False, body
    told("destroy an instance that is gone: 404")


def lost_filters():
    """The SDK's own preprocessing drops all that follows a quoted value (github.com/skypilot-org/skypilot/issues/9733)."""
    searches = [each for each in journal() if each["operation"] == "searchOffers"]
    assert all("gpu_name" not in each["request"] for each in searches), "mended: see test/clients/README.md"
    told("its search has lost the wanted GPU on its way, as is known of it")


def status_of_null():
    """Its map of statuses lacks what a new instance has."""
    head = run().head_instance_id
    control = os.environ["VAST_URL"] + f"/_control/instances/{head}"
    for status, name in ((None, "UNKNOWN"), ("created", "CREATED")):
        requests.post(control, json={"actual_status": status}, timeout=10).raise_for_status()
        refused(KeyError, name, statuses)
    vast.terminate_instances(CLUSTER, {})
    told("query while a node has the status null or created: it fails, as is written down")


def bid_of_nothing():
    """For a search in chunks the SDK overwrites `min_bid` with 0, and SkyPilot bids that."""
    answered("400", "invalid_price", lambda: run(preemptible=True))
    vast.terminate_instances(CLUSTER, {})
    told("preemptible: its bid of 0 is refused with 400, invalid_price")


def nothing_left_to_rent():
    run()
    refused(RuntimeError, "could not find an offer", lambda: vast.run_instances("Sweden, SE", "second", "second", config()))
    vast.terminate_instances(CLUSTER, {})
    told("a second cluster where every machine is rented: no offer")


def wrong_inputs():
    faults({"operation": "createInstance", "kind": "offer-gone", "nth": 2})
    answered("404", "no_such_ask", run)
    vast.terminate_instances(CLUSTER, {})
    told("the second node's offer is taken meanwhile: 404, no_such_ask")
    faults({"operation": "createInstance", "kind": "no-credit"})
    answered("400", "insufficient_credit", run)
    faults()
    told("no credit: 400, insufficient_credit")
    client = adaptor.vast()
    assert statuses() == [], statuses()
    client.client.api_key = "wrong"
    answered("401", "auth_error", run)
    told("a wrong key: 401, auth_error")


if __name__ == "__main__":
    assert os.environ["VAST_URL"].startswith("http://127.0.0.1:"), "only against the simulator"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(KEY)], check=True)
    life(two_nodes())
    lost_filters()
    status_of_null()
    bid_of_nothing()
    nothing_left_to_rent()
    wrong_inputs()
