import { describe, expect, test } from "vitest";
import { NotFoundError, RequestRejectedError, UnexpectedAnswerError } from "../../src/marketplace/errors.ts";
import { create, startContract } from "./support/service-under-contract.ts";

const MINE = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEmine mine@example.com";
const OTHER = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEother other@example.com";

describe("SSH keys, as observed", () => {
  test("of the account: none, create, list, delete; a second delete is refused as described", async () => {
    await using service = await startContract("observed", { scenario: { user: { ssh_key: null } } });
    const { sshKeys } = service.client;
    expect(await sshKeys.list()).toEqual([]);
    const { id } = await sshKeys.create(MINE);
    expect(await sshKeys.list()).toEqual([{ id, key: MINE }]);
    await sshKeys.delete(id);
    expect(await sshKeys.list()).toEqual([]);
    const again = sshKeys.delete(id);
    await expect(again).rejects.toBeInstanceOf(RequestRejectedError);
    await expect(again).rejects.toThrow("(400): no_ssh_key");
    await expect(sshKeys.create("no key")).rejects.toBeInstanceOf(RequestRejectedError);
  });

  test("of an instance: those of the account at its creation, attach, detach", async () => {
    await using service = await startContract("observed", { scenario: { user: { ssh_key: MINE } } });
    const { sshKeys } = service.client;
    const instance = await create(service);
    await sshKeys.create(OTHER);
    expect((await sshKeys.ofInstance(instance)).map(({ key }) => key)).toEqual([MINE]);
    await sshKeys.attach(instance, OTHER);
    const [, other] = await sshKeys.ofInstance(instance);
    expect(other?.key).toBe(OTHER);
    await sshKeys.detach(instance, other?.id ?? 0);
    expect((await sshKeys.ofInstance(instance)).map(({ key }) => key)).toEqual([MINE]);
    await expect(sshKeys.detach(instance, other?.id ?? 0)).rejects.toBeInstanceOf(NotFoundError);
    await expect(sshKeys.attach(1, OTHER)).rejects.toBeInstanceOf(NotFoundError);
    await expect(sshKeys.ofInstance(1)).rejects.toBeInstanceOf(NotFoundError);
  });
});

test("the seed shows no address for SSH keys: not found", async () => {
  await using service = await startContract("seed", {});
  await expect(service.client.sshKeys.list()).rejects.toBeInstanceOf(NotFoundError);
});

test("a list that is shorter than its instances_found hides an instance, and does not pass for whole", async () => {
  await using service = await startContract("seed", {});
  const short = JSON.stringify({ instances_found: 2, instances: [{ id: 7, label: "one" }] });
  // The first is for the form with pages, which the letter does not have.
  service.sim.setFaults([{ operation: "listInstances", kind: "text", text: short, nth: 2 }]);
  const listed = service.client.listInstances();
  await expect(listed).rejects.toBeInstanceOf(UnexpectedAnswerError);
  await expect(listed).rejects.toThrow("instances_found: the list has fewer instances");
});

describe("a list in pages that is shorter than its total_instances", () => {
  const short = JSON.stringify({ instances_found: 1, total_instances: 2, instances: [{ id: 7, label: "one" }] });
  const shortList = async () => {
    const service = await startContract("observed", {});
    service.sim.setFaults([{ operation: "listInstances", kind: "text", text: short }]);
    return service;
  };

  test("does not pass for whole", async () => {
    await using service = await shortList();
    const refused = service.client.listInstances();
    await expect(refused).rejects.toBeInstanceOf(UnexpectedAnswerError);
    await expect(refused).rejects.toMatchObject({ refusal: { code: "unreadable" } });
  });

  test("may have counted the others, where it is asked for one label", async () => {
    await using service = await shortList();
    expect(await service.client.listInstances(undefined, "one")).toMatchObject([{ id: 7 }]);
  });
});
