"""Every call that the stand-in for GitHub imitates, by githubkit: its models, made of GitHub's description, validate every answer.

In the version of the API that the action asks for, and in the latest.
"""

import json
import os

import httpx
from githubkit import GitHub
from githubkit.exception import RequestFailed

URL = os.environ["GITHUB_URL"]
assert URL.startswith("http://127.0.0.1:"), "only against the stand-in"
HERE = {"owner": "octo", "repo": "gpu-lib"}
ORG = {"org": "octo"}
VERSIONS = ("2022-11-28", "2026-03-10")


def told(what):
    print(f"ok  {what}", flush=True)


def client(token):
    return GitHub(token, base_url=URL, http_cache=False, auto_retry=False)


TOKENS = ("RUNNER_TOKEN", "JOB_TOKEN", "ORG_TOKEN", "SEEING_TOKEN")
runner, job, organisation, seeing = (client(os.environ[name]) for name in TOKENS)
asked = set()
version = VERSIONS[0]


def call(who, operation, **arguments):
    """Asks by GitHub's own id of an operation, and validates the answer."""
    area, name = operation.split("/")
    asked.add((version, operation))
    answer = getattr(getattr(who.rest(version), area), name.replace("-", "_"))(**arguments)
    return answer.parsed_data if answer.status_code not in (202, 204) else None


def refused(status, who, operation, **arguments):
    try:
        call(who, operation, **arguments)
    except RequestFailed as error:
        assert error.response.status_code == status, f"{operation}: {error.response.status_code}, not {status}"
        # Where GitHub's description has a model for this status, the answer fits it.
        return error.response.parsed_data
    raise AssertionError(f"{operation} was not refused with {status}")


def control(path, body):
    answer = httpx.post(f"{URL}/_control/{path}", json=body)
    answer.raise_for_status()
    return answer.json()


def runners(who, where, whose, group):
    order = {"name": f"one-{whose}", "runner_group_id": group, "labels": ["gpu-1"]}
    made = call(who, f"actions/generate-runner-jitconfig-for-{whose}", **where, **order)
    assert made.encoded_jit_config and made.runner.name == order["name"], made
    refused(409, who, f"actions/generate-runner-jitconfig-for-{whose}", **where, **order)
    refused(422, who, f"actions/generate-runner-jitconfig-for-{whose}", **where, **{**order, "name": "n" * 65})
    listed = call(who, f"actions/list-self-hosted-runners-for-{whose}", **where, name=order["name"])
    assert listed.total_count == 1 and listed.runners[0].status == "offline", listed
    one = {**where, "runner_id": made.runner.id}
    assert call(who, f"actions/get-self-hosted-runner-for-{whose}", **one).busy is False
    assert call(who, f"actions/list-runner-applications-for-{whose}", **where)
    call(who, f"actions/delete-self-hosted-runner-from-{whose}", **one)
    refused(404, who, f"actions/delete-self-hosted-runner-from-{whose}", **one)
    refused(404, who, f"actions/get-self-hosted-runner-for-{whose}", **one)
    told(f"runners of a {whose}: registered, listed, read, deleted; a second delete is 404")


def runs(name):
    jobs = [
        {"name": "rent", "labels": ["ubuntu-latest"], "status": "in_progress"},
        {"name": "approval", "labels": ["ubuntu-latest"], "status": "waiting"},
        {"name": "test", "labels": ["gpu-1"]},
        {"name": "skipped", "labels": ["gpu-1"], "if": False},
    ]
    made = control("runs", {"repository": "octo/gpu-lib", "workflow": name, "jobs": jobs})
    run = {**HERE, "run_id": made["id"]}
    assert call(job, "actions/get-workflow-run", **run).status == "in_progress"
    call(job, "actions/get-workflow-run-attempt", **run, attempt_number=1)
    assert call(job, "actions/list-workflow-runs-for-repo", **HERE, status="in_progress").total_count == 1
    listed = call(job, "actions/list-jobs-for-workflow-run-attempt", **run, attempt_number=1)
    assert [each.name for each in listed.jobs] == [each["name"] for each in jobs], listed
    assert call(job, "actions/list-jobs-for-workflow-run", **run).total_count == len(jobs)
    assert call(job, "actions/list-workflow-run-artifacts", **run).total_count == 0
    workflow = call(job, "actions/list-repo-workflows", **HERE).workflows[-1]
    assert workflow.name == name, workflow
    call(job, "actions/get-workflow", **HERE, workflow_id=workflow.id)
    assert call(job, "actions/list-workflow-runs", **HERE, workflow_id=workflow.id).total_count == 1
    told("a run, its workflow and its jobs in every state")
    first = {each["name"]: each["id"] for each in made["jobs"]}
    call(job, "actions/get-job-for-workflow-run", **HERE, job_id=first["test"])
    # A job that never ran has no log; where one is, the stand-in's redirect leads to text, not to a model.
    refused(404, job, "actions/download-job-logs-for-workflow-run", **HERE, job_id=first["test"])
    assert call(seeing, "checks/list-annotations", **HERE, check_run_id=first["rent"]) == []
    refused(404, seeing, "checks/list-annotations", **HERE, check_run_id=1)
    call(job, "actions/cancel-workflow-run", **run)
    call(job, "actions/force-cancel-workflow-run", **run)
    refused(409, job, "actions/cancel-workflow-run", **run)
    refused(409, job, "actions/force-cancel-workflow-run", **run)
    told("cancelled, then by force; a second time is 409")
    call(job, "actions/re-run-workflow-failed-jobs", **run)
    refused(403, job, "actions/re-run-workflow", **run)
    call(job, "actions/force-cancel-workflow-run", **run)
    call(job, "actions/re-run-workflow", **run)
    call(job, "actions/force-cancel-workflow-run", **run)
    last = call(job, "actions/list-jobs-for-workflow-run-attempt", **run, attempt_number=3)
    call(job, "actions/re-run-job-for-workflow-run", **HERE, job_id=last.jobs[0].id)
    assert call(job, "actions/get-workflow-run", **run).run_attempt == 4
    call(job, "actions/force-cancel-workflow-run", **run)
    told("re-run: what failed, all, one job; while it runs 403")
    refused(404, job, "actions/get-workflow-run", **HERE, run_id=1)
    refused(404, job, "actions/list-jobs-for-workflow-run-attempt", **HERE, run_id=1, attempt_number=1)
    told("an unknown run: 404")


for version in VERSIONS:
    told(f"version {version}")
    call(runner, "repos/get", **HERE)
    refused(404, runner, "repos/get", owner="octo", repo="nowhere")
    refused(401, client("wrong"), "repos/get", **HERE)
    refused(403, job, "actions/list-self-hosted-runners-for-repo", **HERE)
    assert call(seeing, "git/get-ref", **HERE, ref="heads/main").ref == "refs/heads/main"
    told("the repository and its branch; an unknown one 404, a wrong token 401, one that may not 403")
    runners(runner, HERE, "repo", 1)
    runners(organisation, ORG, "org", 3)
    runs(f"of-{version}")
missed = {(each, operation) for each in VERSIONS for operation in json.loads(os.environ["OPERATIONS"])} - asked
assert not missed, f"never asked: {sorted(missed)}"
told(f"all calls of the stand-in, {len(asked)} in sum")
