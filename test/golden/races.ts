import type { Transcript } from "./transcript.ts";

/** A scenario whose course is not the same each time, and what is therefore not compared. */
interface Race {
  readonly test: RegExp;
  /** `releases`: whether machines and runners were taken away by a request. */
  readonly leaveOut: readonly (keyof Transcript | "releases")[];
  readonly why: string;
}

/** One that needs no exception any more is taken out by hand: nothing fails because of it. */
const RACES: readonly Race[] = [
  {
    test: /two uses with names work side by side/,
    leaveOut: ["machines", "outputs"],
    why: "two renters take the cheapest offer: whoever asks first has it",
  },
  {
    test: /a matrix of three jobs is served by three machines|^four jobs and machines: 2/,
    leaveOut: ["machines", "outputs", "reads"],
    why: "which of several machines is ready first, and whether one more is started meanwhile, is the hosts' doing",
  },
  {
    test: /create instance > too many requests, again and again|the registration: a secondary rate limit/,
    leaveOut: ["machines"],
    why: "how often it asks again within ready-timeout depends on how long the answers took",
  },
  {
    test: /one machine fails beside another that works|leaves no stopped instance behind/,
    leaveOut: ["machines", "outputs"],
    why: "an offer that was refused may be taken again, by the time that has passed",
  },
  {
    test: /takes the next offer when one is gone, in whatever form/,
    leaveOut: ["machines", "reads"],
    why: "an offer that comes back is tried again or not, by the time that has passed since",
  },
  {
    test: /a GPU job that is over or runs is nothing|attempt 2 rents for that one alone|^max-parallel holds a job back/,
    leaveOut: ["releases"],
    why: "the machine of a job that is over gives itself back; it is destroyed where it was slower",
  },
  {
    test: /the GPU job alone is cancelled|^the GPU job fails: this job fails with it|^setup takes longer than/,
    leaveOut: ["releases"],
    why: "likewise",
  },
  {
    test: /a fresh machine that no answer shows yet|^kill -9 after the create: post destroys/,
    leaveOut: ["releases", "reads", "jobs", "machines"],
    why: "main is ended beside the moment in which the runner is online, and the job begun",
  },
  {
    test: /a page of HTML instead of the instance|^adopts the instance of a create|^an outage of the service and of GitHub|^a machine whose runner GitHub can't be asked about|^main destroys an instance that turns up/,
    leaveOut: ["releases"],
    why: "GitHub drops the runner of a job that is over by itself, before it is asked to or after",
  },
  {
    test: /rents no second machine for a job that was over/,
    leaveOut: ["reads"],
    why: "the account's list has a filter or not, by what it is looked for at that moment",
  },
  {
    test: /a cancel while it holds: post destroys the machine and only tells/,
    leaveOut: ["jobs"],
    why: "the test ends beside the moment in which GitHub gives the job up",
  },
  {
    test: /kill -9 while it holds/,
    leaveOut: ["outputs"],
    why: "it is killed beside the moment in which the outputs are written",
  },
];

/** Takes away what a race decides. */
export function withoutRaces(name: string, transcript: Transcript): Partial<Transcript> {
  const left = RACES.filter(({ test }) => test.test(name)).flatMap(({ leaveOut }) => leaveOut);
  const kept = left.includes("releases")
    ? { ...transcript, machines: withoutReleases(transcript.machines) }
    : transcript;
  return Object.fromEntries(Object.entries(kept).filter(([field]) => !left.includes(field as keyof Transcript)));
}

function withoutReleases(machines: Transcript["machines"]): Transcript["machines"] {
  return Object.fromEntries(
    Object.entries(machines).map(([machine, lines]) => [machine, lines.filter((line) => !line.startsWith("DELETE "))]),
  );
}
