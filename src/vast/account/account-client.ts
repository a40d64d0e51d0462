import { type CallOptions, type ContextOf, call, contextOf } from "../call.ts";
import { Connection } from "../connection.ts";
import { changeInstance, type InstanceChange } from "../endpoints/change-instance.ts";
import { ServiceClient, type ServiceClientOptions } from "../service-client.ts";
import { ApiKeys } from "./api-keys.ts";
import { SshKeys } from "./ssh-keys.ts";
import { Team } from "./team.ts";
import { Templates } from "./templates.ts";
import { VolumeCalls } from "./volume-calls.ts";

/**
 * All of the service's interface: renting, and what an account has beside its instances. The action
 * needs none of the latter.
 */
export class AccountClient extends ServiceClient {
  readonly templates: Templates;
  readonly apiKeys: ApiKeys;
  readonly team: Team;
  readonly sshKeys: SshKeys;
  readonly volumes: VolumeCalls;
  readonly #context: ContextOf;

  constructor(options: ServiceClientOptions, connection: Connection = new Connection(options)) {
    super(options, connection);
    this.#context = contextOf(options, connection);
    this.templates = new Templates(this, this.#context);
    this.apiKeys = new ApiKeys(this, this.#context, options.mask ?? (() => {}));
    this.team = new Team(this.#context);
    this.sshKeys = new SshKeys(this.#context);
    this.volumes = new VolumeCalls(this, this.#context);
  }

  /** Stops, starts or renames an instance, once. Throws NotFoundError when there is none. */
  async changeInstance(id: number, change: InstanceChange, options?: CallOptions): Promise<void> {
    await call(changeInstance, { id, change }, this.#context(options));
  }
}
