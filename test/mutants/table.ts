/** One decision, broken. */
export interface Mutant {
  readonly name: string;
  /** The rule that it breaks, in the words of the design: who moves the code finds the place by it. */
  readonly rule: string;
  /** The text that is looked for in all of src/ and onstart/. It must stand there exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** Of each rule: the mutants by name, with the text that is looked for and what takes its place. */
type Rules = Record<string, Record<string, readonly [find: string, replace: string]>>;

/** How the condition of each reason for which machines end begins: the mutant takes its row away. */
const REASONS: Record<string, string> = {
  deadline: "isPastDeadline,",
  "bid-refused": "(seen) => seen.isBidRefused",
  "refused-and-made": "(seen) => seen.refusal",
  "turned-up-late": "(seen) => seen.turnedUpLate",
  "one-too-many": "(seen) => seen.isOneTooMany",
  "outbid-early": "(seen) => seen.failed?.outbid",
  "stopped-early": "(seen) => seen.failed?.stopped",
  "no-pull": '(seen) => seen.failed?.blame === "image"',
  "no-login": '(seen) => seen.failed?.blame === "login"',
  "no-platform": '(seen) => seen.failed?.blame === "platform"',
  "old-driver": '(seen) => seen.failed?.blame === "driver"',
  "silent-early": "(seen) => seen.failed !== undefined &&",
  "in-trouble-early": "(seen) => seen.failed?.isUnsure",
  "broken-early": "(seen) => seen.failed !== undefined }",
  dear: "(seen) => seen.dearer",
  "runner-ended": "(seen) => seen.said?.by",
  "says-host": "(seen) => OF_SCRIPT.host",
  "says-image": "(seen) => OF_SCRIPT.image",
  "says-why": "(seen) => seen.said !== undefined",
  "went-unread": '(seen) => seen.wentEarly === "unread"',
  "went-preparing": '(seen) => seen.wentEarly === "ran"',
  "went-early": "(seen) => seen.wentEarly !== undefined",
  "runner-dropped": "(seen) => seen.isDropped",
  "late-to-run": "(seen) => seen.isBooting",
  "late-to-come-online": "isTooLate,",
  outbid: '(seen) => seen.taken === "was outbid"',
  stopped: "(seen) => seen.taken !== undefined",
  "bound-to-a-job": "(seen) => seen.wentByItself &&",
  "gave-itself-back": "(seen) => seen.wentByItself,",
  "fell-silent": "(seen) => seen.fellSilent",
  lost: "(seen) => seen.went,",
  "offline-and-done": "(seen) => seen.isOfflineAndDone",
  "runner-offline": "(seen) => seen.isOffline,",
  "next-runner-late": "(seen) => seen.isNextLate",
  stuck: "(seen) => seen.its.isStuck",
  "held-beside": "(seen) => seen.isPassedOver &&",
  "passed-over": "(seen) => seen.isPassedOver,",
  "used-up": "(seen) => seen.isUsedUp",
};

/** The same of each reason to rent no more. */
const STOPS: Record<string, string> = {
  undestroyed: "undestroyed,",
  refused: '({ refusal }) => refusal?.kind === "refused"',
  unregistered: '({ refusal }) => refusal?.kind === "unregistered"',
  unsearchable: "unsearchable,",
  "no-image": "({ fleet: { image } }) =>",
  "runners-refused": "({ fleet, now }) => refusedRunner",
  "passed-over": "({ overlooked: [first, ...others] }) =>",
  probe: "probe,",
  attempts: "({ failures, fleet, rules }) =>",
  creates: "({ fleet: { machines } }) =>",
  hopeless: "({ fleet: { hopelessSince, market, noOfferSince } }) =>",
  "max-cost": "({ budget, fleet, lacksOffers }) =>",
  "passed-over-alone": "({ hasNoOffer, isTooLate, overlooked }) =>",
  "no-offer": "({ hasNoOffer }) =>",
  "ready-timeout": "({ isTooLate }) =>",
};

/** What the fleet's loop decides. */
const FLEET: Rules = {
  "Each machine: the reasons, row by row": Object.fromEntries(
    Object.entries(REASONS).map(([id, when]) => [
      `no machine ends by ${id}`,
      [`when: ${when}`, `when: () => false, never: ${when}`],
    ]),
  ),
  "Renting stops: the reasons, row by row": Object.fromEntries(
    Object.entries(STOPS).map(([id, when]) => [
      `nothing stops renting by ${id}`,
      [`when: ${when}`, `when: () => undefined, never: ${when}`],
    ]),
  ),
  "Ages: counted on a clock that can't jump": {
    "the clock follows when the computer's is set": [
      "return () => Math.round(origin + passed());",
      "return () => Math.round(wall());",
    ],
  },
  "Each machine: its deadline, and 30 s → over, destroyed by force": {
    "a machine has no 30 s to end itself": ["now >= end + LATE.endsItself", "now >= end"],
    "max-lifetime does not end a machine": ["const to = first.onlineAt + lifeMs;", "const to = deadline;"],
    "max-lifetime counts from a later runner": [
      "const first = slots.find(({ onlineAt }) => onlineAt !== undefined);",
      "const first = slots.findLast(({ onlineAt }) => onlineAt !== undefined);",
    ],
    "max-lifetime outlasts the deadline": ["to: Math.min(to, deadline), by", "to, by"],
    "what max-cost reserves does not follow a machine's end": [
      "    deadline: ownEnd(machine).to,\n    price",
      "    price",
    ],
    "a machine that no list shows is past its deadline, by our clock alone": [
      "(fleet.aheadMs !== undefined || isShown)",
      "(fleet.aheadMs !== undefined || true)",
    ],
    "a machine is told its deadline by our clock": [
      "deadlineThere: rental.deadline + aheadMs",
      "deadlineThere: rental.deadline",
    ],
    "a label expires by our clock": ["expiry: rental.expiry + aheadMs", "expiry: rental.expiry"],
    "a service's date that no label can carry counts": ["if (at > 0 && at < LATEST_DATE_MS)", "if (at > 0)"],
  },
  "Each machine: not ready and a fatal status, or later than its limits → failed, its host excluded": {
    "a late machine keeps its place where machines leaves no room": [
      "if (!isFull || !keepsWaiting ||",
      "if (isFull || !keepsWaiting ||",
    ],
    "a machine gives its place up though all are slower than expected": [
      " || !machines.some(({ wasReady }) => wasReady))",
      ")",
    ],
    "boot-timeout is not heard": ["return instancesAt - instance.foundAt >= bootMs;", "return instancesAt > 0;"],
    "online-timeout is not heard": [
      "return seenFor(instance.runningAt, facts.fleet) >= onlineMs;",
      "return instance.runningAt > 0;",
    ],
    "a host is blamed for a machine that went while no runners were read": [
      'runnersAt > runningAt && wasRead ? "ran"',
      'runnersAt > runningAt ? "ran"',
    ],
    "a failed machine's host is rented again": [
      "followsOf(machine).pause && !refused.includes(machine),",
      "followsOf(machine).pause && index < 0,",
    ],
  },
  "Nothing is excluded for ever: each pause has its length": {
    "there is no pause after what was asked in vain": [
      '"asked-in-vain": { firstMs: 300_000, by: 3',
      '"asked-in-vain": { firstMs: 5, by: 3',
    ],
    "there is no pause after an offer that was gone": ['asked("asked-in-vain", gone.map(answeredAt))', "[]"],
    "there is no pause after a create without an answer": [
      '...asked("asked-in-vain", unanswered.map(answeredAt)), ',
      "",
    ],
    "there is no pause after host-failed": [
      '"host-failed": { firstMs: 1_800_000, by: 3',
      '"host-failed": { firstMs: 30, by: 3',
    ],
    "there is no pause after too-fast": ['"too-fast": { firstMs: 12_000', '"too-fast": { firstMs: 12'],
    "there is no pause after refused": ["  refused: { firstMs: LATE.lookAgain", "  refused: { firstMs: 15"],
    "there is no pause after request-refused": [
      '"request-refused": { firstMs: 2000',
      '"request-refused": { firstMs: 2',
    ],
    "there is no pause after runner-refused": [
      '"runner-refused": { firstMs: LATE.refusal, by: 1',
      '"runner-refused": { firstMs: 9, by: 1',
    ],
    "there is no pause after no-offer": ['"no-offer": { firstMs: LATE.lookAgain', '"no-offer": { firstMs: 15'],
  },
  "Passed over: ready without a job while one waits": {
    "the host beside which a job waited comes first again": [
      'followsOf(machine).attempt || machine.ending?.id === "held-beside"',
      "followsOf(machine).attempt",
    ],
    "the wait beside a machine goes on though none waits": [
      "machine.besideSince = waiting.length > 0 && machineFacts(machine).isReady",
      "machine.besideSince = machineFacts(machine).isReady",
    ],
    "all ready machines are passed over at once": [
      "Math.max(besideSince, ...last) >= patience",
      "besideSince >= patience",
    ],
    "one silence stops renting": [
      "(machine.readyAt ?? 0) > (first.ending?.decidedAt ?? 0)",
      "(machine.readyAt ?? 0) > 0",
    ],
    "more run than then, and nothing is rented": ["runningJobs(state) > beside.limit", "runningJobs(state) > 1e9"],
    "each machine of one silence lengthens the pause": ["times: isSameSilence ? times : times + 1", "times: times + 1"],
    "renting beside jobs that run has a spare": ["rules.hedge && fleet.beside === undefined", "rules.hedge"],
    "a busy runner without a job serves for ever": ["if (askedAt - busySince >= LATE.listed ||", "if ("],
    "a list of runners that lags disproves a 422": [
      'slot.isRefused && runner === "online" ? "busy" : runner',
      "runner",
    ],
    "a failing main asks for a busy runner at each look": ["if (clock.now() < drainAgainAt) return true;", ""],
    "a refusal holds for ever though the list has caught up with it": [
      'if (runner === "busy") slot.isRefused = undefined;',
      "",
    ],
    "a runner that is idle again waits for the next time to be asked": [
      "if (isFreed) Object.assign(machine, { refusedDrains: undefined, drainAgainAt: undefined });",
      "",
    ],
  },
  "Each machine: destroyed, stopped, exited → lost": {
    "a lost machine's runner is asked for first": [
      '{ id: "lost", ...IS_LOST, first: "instance"',
      '{ id: "lost", ...IS_LOST, first: "runners"',
    ],
  },
  "A cause beats an effect: who ended a job (causeOf)": {
    "a job that ended well is lost with its machine": ["if (job.isOver && !job.isBad) return BY_JOB;", ""],
    "a running job is lost as soon as its machine is gone": [
      "isConfirmed(went, look.instances) && look.jobs - went >= LATE.job",
      "isConfirmed(went, look.instances)",
    ],
    "one list shows that a running job's machine is gone": [
      "isConfirmed(went, look.instances) && look.jobs - went >= LATE.job",
      "look.jobs - went >= LATE.job",
    ],
    "a running job is never ended by its deadline": [
      ">= to + LATE.endsItself;\n  return isOver ? { by",
      ">= to + 1e12;\n  return isOver ? { by",
    ],
    "a job that failed long before the deadline was cut off": [
      "endedAt >= from && went >= from",
      "endedAt > 0 && went >= from",
    ],
    "a job that the script ended early in the span failed by itself": [
      "(first.notYetAt ?? askedAt) - LATE.tick + lifeMs",
      "first.onlineAt + lifeMs",
    ],
    "a machine that went before its deadline was cut off": ["endedAt >= from && went >= from", "endedAt >= from"],
    "a machine that worked on took its job with it": [
      "isHere || hasNext || lastRunningAt > endedAt + LATE.list",
      "isHere",
    ],
    "what the service says of a stop under a job goes unheard": [
      "return stop === undefined ? undefined : { by",
      "return stop === undefined || stop.at > 0 ? undefined : { by",
    ],
    "a job that ended its machine is lost with it": [
      "endedAt - went > LATE.github && isConfirmed(went, look.instances)",
      "endedAt > went && isConfirmed(went, look.instances)",
    ],
    "one list shows that a failed job's machine was gone": [
      "endedAt - went > LATE.github && isConfirmed(went, look.instances)",
      "endedAt - went > LATE.github",
    ],
    "a silent host takes every failed job with it": [
      "return isSilent && endedAt - offlineSince > LATE.github",
      "return isSilent && endedAt > 0",
    ],
    "a list that may be old takes the service's word back": [
      "askedAt - (instance.stopped?.at ?? askedAt) > LATE.list",
      "askedAt - (instance.stopped?.at ?? askedAt) > 0",
    ],
  },
  "Each machine: its runner offline for 2 min, no job on it → given up": {
    "an offline runner is drained at once": [
      "!isBusy && seenFor(this.#offlineSince(), this.fleet) >= LATE.served",
      "!isBusy && seenFor(this.#offlineSince(), this.fleet) >= 0",
    ],
    "an offline runner with a job is drained": [
      "!isBusy && seenFor(this.#offlineSince()",
      "seenFor(this.#offlineSince()",
    ],
  },
  "Each machine: no use left in it → over; destroyed when it has not gone 60 s after its job": {
    "a machine has no minute to give itself back": ["Math.min(ended + LATE.givesItselfBack +", "Math.min(ended +"],
  },
  "Given up: its runners first. 422: kept. 204, 404: destroyed. No answer: asked again": {
    "a busy runner is taken for one that was removed": [
      'if (answer.status === 422) return "busy";',
      'if (answer.status === 422) return "removed";',
    ],
    "a 404 is believed though the list shows the runner": [
      "if (isListed) throw new GithubUnavailableError",
      "if (id < 0) throw new GithubUnavailableError",
    ],
    "a machine that is drained is destroyed before its runner": [
      '!isForced && machine.ending?.first === "runners" && !isDrained(machine, fleet)',
      "!isForced && fleet.startedAt < 0",
    ],
    "a refused removal is asked again at each look": [
      "return now >= (machine.drainAgainAt ?? 0) ? [drain(machine)] : [];",
      "return [drain(machine)];",
    ],
    "a machine that got a job meanwhile is not kept": ["(isOvertaken || !isGoing(machine))", "!isGoing(machine)"],
    "GitHub's silence takes a machine that ran": ["&& (!mayHaveRun || isAbsent);", ";"],
    "GitHub's word of its runner keeps a machine that went": ["(isUnconfirmed || isInVain)", "isUnconfirmed"],
    "one list is enough against GitHub's word": [
      "isConfirmed(goneFrom(instance), instancesAt)",
      "goneFrom(instance) <= instancesAt",
    ],
  },
  "How many: free machines wanted": {
    "one machine more than machines": [
      "Math.max(0, rules.machines - all.filter(",
      "Math.max(0, rules.machines + 1 - all.filter(",
    ],
    "no spares for several jobs": ["n === 1 && !isLast ? 1 : Math.ceil(SPARES * n)", "n"],
    "the last of several jobs has one machine, however late": ["n === 1 && !isLast ? 1 :", "n === 1 ? 1 :"],
    "with a history an unproven host is alone on its way": [" || machine === stranger);", ");"],
    "a busy machine that is soon free takes the room of another one": [
      "room + soon.length - late.length",
      "room - late.length",
    ],
    "a late machine counts as one in time": ["free.length - late.length + soon.length", "free.length + soon.length"],
    "spares stay when all jobs have a ready machine": ["ready.length >= n ? n :", "ready.length < 0 ? n :"],
    "without hedge a machine is rented for each job that a busy one will serve": [
      "Math.min(n, room + soon.length) - free.length - soon.length",
      "Math.min(n, room + soon.length) - free.length",
    ],
    "several jobs a machine are not reckoned with": [
      "if (soonest === Number.POSITIVE_INFINITY) return n;",
      "return n;",
    ],
    "a job that a busy runner has is rented for": [
      "waiting.length - unlisted, notHeldBack",
      "waiting.length, notHeldBack",
    ],
    "a job with further labels is rented for": [
      "const waiting = (jobs?.ours ?? []).filter(waitsForUs)",
      'const waiting = (jobs?.ours ?? []).filter((job) => job.state === "waiting")',
    ],
    "n = 0: free machines stay": [
      "if (!mayCome) return { wanted: 0, lacking: 0, unneeded: [...free].reverse() };",
      "if (!mayCome) return { wanted: 0, lacking: 0, unneeded: [] };",
    ],
    "idle-timeout is not heard": ["return wasReady && now - idleSince < rules.idleTimeout;", "return wasReady;"],
    "wait-for-job: 0s rents nothing before a job waits": [
      "const isAtOnce = came === 0 && rules.waitForJob === 0;",
      "const isAtOnce = came < 0;",
    ],
    "hold: false rents while a machine is busy": [
      "const isThere = free.length + busy > 0 ||",
      "const isThere = free.length > 0 ||",
    ],
    "hold: false rents again after a short job": [
      "free.length + busy > 0 || fleet.machines.some((machine) => machineFacts(machine).hadJob);",
      "free.length + busy > 0;",
    ],
    "hold: false never ends after a short job": ["=> isServing || hadJob)", "=> isServing)"],
    "hold: false asks for no jobs where a machine went": [": jobsWithoutHold(fleet, now))", ": 1 / 0)"],
    "hold: false waits for jobs that it may not read": ["hold || jobsFault === undefined", "true"],
    "hold: false counts no wait while jobs can't be read": [
      "const jobsFault = rules.hold ? before.jobsFault : undefined;",
      "const { jobsFault } = before;",
    ],
    "machines-per-repository is not heard": [
      "if (repositoryAlive >= rules.machinesPerRepository)",
      "if (repositoryAlive < 0)",
    ],
    "jobs that GitHub holds back are rented for": [
      "if (beside === undefined) return Number.POSITIVE_INFINITY;",
      "if (fleet) return Number.POSITIVE_INFINITY;",
    ],
    "a machine is not needed: one look is enough": [
      'isOver || isSure(since, "jobs"',
      'now > 0 || isSure(since, "jobs"',
    ],
  },
  "Renting stops": {
    "a session asks for its 1000th machine": ["machines.length >= MOST_CREATES - 1", "machines.length > MOST_CREATES"],
    "renting goes on after attempts": [
      "failures.length >= rules.attempts * Math.max(1, fleet.mostWanted)",
      "failures.length > rules.attempts * Math.max(1, fleet.mostWanted)",
    ],
    "a job that begins does not start the count of attempts anew": [
      "!refused.includes(machine) && (machine.ending?.since ?? 0) > lastBeginAt",
      "!refused.includes(machine) && (machine.ending?.since ?? 0) > 0 * lastBeginAt",
    ],
    "search-timeout is not heard": ["now - noOfferSince >= rules.searchTimeout", "rules.searchTimeout > 0"],
    "ready-timeout is not heard": ["now - unservedSince >= rules.readyMs,", "now > 0 && rules.readyMs > 0,"],
    "a market that is too dear stops renting before anything was spent": [
      "lacksOffers && isTooDear(fleet) && fleet.machines.some((machine) => machineFacts(machine).isMade) && budget",
      "lacksOffers && isTooDear(fleet) && budget",
    ],
    "one look says that waiting can't help": [
      "isConfirmed(hopelessSince, market?.searchedAt ?? 0)",
      "market !== undefined",
    ],
    "who is passed over once stops renting at once": [
      "overlooked.length > 0 && (hasNoOffer || isTooLate)",
      "overlooked.length > 0",
    ],
    "nothing stops renting by image": ['imageRow("image",', 'imageRow("login",'],
    "nothing stops renting by login": ['imageRow("login",', 'imageRow("image",'],
    "nothing stops renting by platform": ['imageRow("platform",', 'imageRow("image",'],
    "nothing stops renting by unfit-image": ['imageRow("unfit-image",', 'imageRow("image",'],
    "one host's word condemns the image": [
      "hostsOf(failures) >= ENOUGH_HOSTS ? failures",
      "failures.length > 0 ? failures",
    ],
    "a create goes out while another is in flight": [
      'if (machines.some(({ machine, stage }) => machine.answer === undefined || stage === "asked")) return {};',
      "",
    ],
    "a create goes out while it is open what another made": [
      'machine.answer === undefined || stage === "asked")',
      "machine.answer === undefined)",
    ],
    "a create goes out while no list can be read": [
      "const isKnown = instancesAt !== undefined && now - instancesAt <= LATE.lookAgain + (fleet.jobsTookMs ?? 0);",
      "const isKnown = now - (instancesAt ?? now) >= -LATE.lookAgain;",
    ],
  },
  "The end": {
    "a machine is lost before the jobs were read again": [
      "const haveJobs = isConfirmed(since, look.jobs) ||",
      "const haveJobs = look.now > 0 ||",
    ],
    "a finding is new at each look": ["before[key] ?? look[list]", "look[list]"],
    "one look is enough to end": ["return at - since >= LATE.confirmed;", "return at - since >= 0;"],
    "a main that holds ends while a list can't be read": [
      "if (fleet.jobsFault !== undefined) return listUnreadable(facts, fleet.jobsFault);",
      "",
    ],
    "a list that can't be read is waited for without bounds": [
      "isHeld || now - Math.max(since, ...goneAt) < LATE.jobsUnread",
      "isHeld || now - Math.max(since, ...goneAt) > 0",
    ],
    "a busy runner whose job the list lacks is no job": [
      "if (fleet.machines.some((machine) => machineFacts(machine).isUnlisted)) return undefined;",
      "",
    ],
    "no other job: main waits": ["jobs?.others === 0 && jobs.ours.length === 0", "jobs?.others === -1"],
    "fewer jobs than jobs says are enough": ["if (over < expected) return undefined;", ""],
    "a second attempt waits for all jobs": [
      'rules.jobs === "auto" || rules.attempt > 1 ? 1',
      'rules.jobs === "auto" ? 1',
    ],
    "a job that failed is not reported": ["bad: ours.filter(isBad), lost,", "bad: [], lost,"],
    "too few jobs are no failure": ["if (over > 0) return", "if (over > 1e9) return"],
    "a skipped job is not heard": ["if ((jobs?.skipped ?? 0) > 0)", "if ((jobs?.skipped ?? 0) > 1e9)"],
    "wait-for-job is not heard": [
      "rules.waitForJob > 0 && now - fleet.lastEndAt >= rules.waitForJob",
      "rules.waitForJob < 0",
    ],
    "a job that waits for an approval is waited for without bounds": [
      "!isOnItsWay && now - heldSince >= (rules.waitForJob || rules.idleTimeout)",
      "!isOnItsWay && now < heldSince",
    ],
    "a label one letter off is not reported": ["now - mistypedSince >= LATE.served", "now < mistypedSince"],
    "renting has stopped: main ends while a machine is busy": [
      "return isServed || mayMakeRoom ? undefined",
      "return mayMakeRoom ? undefined",
    ],
    "main ends without an offer while one of ours is about to be free": [
      "STOPS[stop.id].goesOn === true && alive.length > 0",
      'stop.id === "max-cost" && alive.length > 0',
    ],
    "no cheaper offer is searched for once max-cost pays none": [
      "stop === undefined || STOPS[stop.id].goesOn === true;",
      'stop === undefined || stop.id === "no-offer";',
    ],
  },
  Evidence: {
    "a job does not disprove that its runner was removed": [
      "if (!isOver) Object.assign(slot, { spentAt: undefined, isRemoved: undefined, isStuck: undefined });",
      "",
    ],
    "a machine that is still listed has given itself back": [
      "isOffline && !isThere && this.#wasDone",
      "isOffline && this.#wasDone",
    ],
    "a list that lacks a machine is believed": [
      "if (gone.includes(instance.id)) noteAbsent",
      "if (!instances.some(({ id }) => id === instance.id)) noteAbsent",
    ],
    "a page that GitHub did not write is its refusal": [
      "if (status >= 400 && isPage(response.data)) throw",
      "if (status >= 600 && isPage(response.data)) throw",
    ],
    "a page of a proxy is the service's refusal": [
      'return ownWord ? { kind: "refused", refusal } : { kind: "uncertain", refusal };',
      'return { kind: "refused", refusal };',
    ],
    "a refusal counts when it is said once": [
      "if (creates.length < (ABOUT_THE_REQUEST.has(by) ? 3 : 2) || !isLong) return false;",
      "",
    ],
    "a refusal is never asked again": [
      "const isHeld = last !== undefined && now - last.at < LATE.refusal;",
      "const isHeld = last !== undefined;",
    ],
    "an answer 429 asks for no pause": ['if (!isAskable(fleet, "create", now)) return { waitsFor: "pause" };', ""],
  },
  "Retry-After is honoured; what shows or ends an instance waits 30 s for it at most": {
    "a longer pause that is asked for is cut": ["at + Math.max(leastMs, pauseMs(", "at + Math.max(0, pauseMs("],
    "a destruction waits for as long as the service asks": [
      "waitsLong ? LONGEST_STAGE_MS : LONGEST_RELEASE_WAIT_MS",
      "LONGEST_STAGE_MS",
    ],
    "a search waits for 30 s at most": [
      "waitsLong ? LONGEST_STAGE_MS : LONGEST_RELEASE_WAIT_MS",
      "LONGEST_RELEASE_WAIT_MS",
    ],
    "a pause grows beyond 30 s": [
      "return Math.min(LONGEST_PAUSE_MS, pauseMs(growth, times",
      "return Math.max(0, pauseMs(growth, times",
    ],
    "GitHub is asked again after a minute": ["Math.min(HOUR_MS, asked)", "Math.min(60_000, asked)"],
  },
  "A used up quota of searches ends the search at once, unless it is full again within search-timeout": {
    "it is a refusal like others": ["return isLong || isTwice ?", "return isTwice ?"],
    "nobody waits until it is full again": [
      "const isLong = fullAt > now && fullAt > (",
      "const isLong = fullAt > now || fullAt > (",
    ],
    "calls are paced by it": ["if (answer.status !== 429 || QUOTA.test(sentence))", "if (answer.status !== 429)"],
    "each search looks wider": ["return decides || nothing?.kind", "return true || nothing?.kind"],
    "no search looks wider again": ["return decides || nothing?.kind", "return nothing?.kind"],
    "the last one looks no wider": [" || now + LATE.refusal >= stopsAt", ""],
  },
  "What two hosts say alike is believed: the image's CUDA, and that the image or the inputs are to blame": {
    "one host is enough": ["hostsOf(same) >= ENOUGH_HOSTS ? (", "same.length > 0 ? ("],
    "a version that no offer has is asked for": ["return has === true ? version", "return true ? version"],
    "an offer with an old driver is rented again": ["fit.find(isFresh) ?? free.find(isFresh)", "free.find(isFresh)"],
    "hosts that served are suspected": ['return blame === "host" && !hasServed;', 'return blame === "host";'],
    "numbers tell hosts apart": ["|[^\\s:,;()]*\\d[^\\s:,;()]*", ""],
  },
};

/** What is asked of the service and of GitHub, and what is read out of their answers. */
const PROTOCOL: Rules = {
  "Label first; a machine is ours when its label starts with our prefix and a dot after use": {
    "a label is ours without the dot after the mark": [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a text of the source
      "label?.startsWith(`${prefix}.`)",
      "label?.startsWith(prefix)",
    ],
    "a label that only looks like ours is read": [
      "read.expiry) === label ? read : undefined",
      "read.expiry) ? read : undefined",
    ],
    "a label expires with its machine's deadline": ["expiry: deadline + EXPIRY_MARGIN_MS", "expiry: deadline"],
  },
  "Ledger: pending right before each create, its outcome after it": {
    "a create is not announced": ["ledger.pending(machine.machineNo, order.label);", ""],
    "a create's id is not written down": ['  ledger.created(machineNo, instanceId, answer.kind === "unwanted");\n', ""],
    "a refusal is written down though no list could be read": [
      'answer?.kind === "refused" && (isOfferGone(answer) || answer.isMissed === true);',
      'answer?.kind === "refused";',
    ],
  },
  "Secrets: what others said loses them before it reaches a file": {
    "a refusal keeps a secret": ["oneLine(withoutKeys(withoutSecrets(text)))", "oneLine(withoutKeys(text))"],
    "a status keeps a secret": ["maybe(bareString.transform(withoutSecrets))", "maybe(bareString)"],
    "a label loses what looks like a secret": ["  label: maybeOurs,", "  label: maybeString,"],
  },
  "Inputs: a mistyped one is refused before anything is rented": {
    "an underscore is no hyphen": ['const written = name.replaceAll("_", "-");', "const written = name;"],
    "three letters off is a slip, too": ["const MOST_SLIPS = 2;", "const MOST_SLIPS = 3;"],
  },
  "Answers: bounded in depth and size, and no way to a private address": {
    "depth has no limit": ["return depth > MOST_DEPTH;", "return false;"],
    "brackets in a text count": ["if (letter === '\"') at = endOfText(text, at);", "if (letter === undefined) break;"],
    "an answer of GitHub's has no limit": ["if (bytes > MOST_GITHUB_BYTES) throw", "if (bytes < 0) throw"],
    "any host may name a private address": [
      "if (hostname === own || !isPrivate) return true;",
      "if (hostname !== '') return true;",
    ],
  },
  "Only what carries our label is destroyed, and everything that does": {
    "a refused create's id needs no label": [
      'answer.kind === "created" ? "answered" : "claimed"',
      'answer.kind === "created" ? "answered" : "answered"',
    ],
    "an id under another label is ours": ["      else if (label) {", '      else if (label === "") {'],
    "what can't be looked up counts as gone": [
      'if (proofs.get(id) === "claimed") throw new InstanceNotDestroyedError',
      'if (proofs.get(id) === "labelled") throw new UserError',
    ],
    "a claimed id settles its create": ["claimed.includes(id) && reports.get", "!claimed.includes(id) && reports.get"],
  },
  "The GPU job: none that may ask for the cloud identity goes on": {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a text of the source
    "the hook does not look for id-token": ["[[ -z ${ACTIONS_ID_TOKEN_REQUEST_URL-} ]] ||", "true ||"],
  },
  "Money: traffic has a limit per GB, and costs no more than the machine or the credit": {
    "the price of what a job sends has no limit": ['priceRule("inet_up_cost", "up", ({ price }) => price.inetUp),', ""],
    "the price per GB has no limit": ["!(price(offer) <= most)", "price(offer) < 0"],
    "traffic may cost more than the machine": [
      "!(trafficUsd(offer, requirements) <= mostTraffic(requirements).usd)",
      "trafficUsd(offer, requirements) < 0",
    ],
    "traffic may cost more than the credit": ["if (credit < machine)", "if (credit < 0)"],
    "a filter of the user's lifts the limit of traffic": ["duration inet_down_cost inet_up_cost", "duration"],
  },
  "Ledger: an entry that main did not sign counts as not there": {
    "a note is believed whatever its signature": ["return isSigned ? value : undefined;", "return value;"],
    "a note of one machine is one of another": ["hmac(key, [name, value])", "hmac(key, [value])"],
    "an id that main signed is as good as one that a later step wrote": [
      "unsigned.filter((id) => !known.has(id))",
      "unsigned",
    ],
    "a create's answer makes others' instance ours": [" && !proofs.has(answer.instanceId)) {", ") {"],
    "a note of an earlier attempt is one of this": [
      'signingKey(apiKey, "ledger", runId, attempt, sessionId)',
      'signingKey(apiKey, "ledger", runId, sessionId)',
    ],
  },
  "The end of the last job is seen within seconds; at most 120 counted requests an hour, none hurried below 200 left": {
    "a bad end needs no more than a good one": ["const isSoon = key === WELL_OVER && ", "const isSoon = "],
    "a good end waits for no log": [" && !isReadingLog;", ";"],
    "nothing is known of the last job's end": ["[likelyEnd(fleet, rules, quota), ...", "[..."],
    "that the last job's runner went says nothing": ["slot && (slot.goneSince ?? ", "slot && ("],
    "the last job's runner is not asked for": ["if (awaitsLastRunner(fleet, rules, now)) return LAST_MS;", ""],
    "the last job is not looked at once an app's token may have expired": [
      "if (awaitsLast(fleet, rules) && !isTokenGood(fleet, rules, now)) return true;",
      "",
    ],
    "there is no limit to counted requests": ["requestsCounted >= MOST_COUNTED || ", ""],
    "others need none of the requests that are left": ["requestsLeft < LEAST_LEFT || ", ""],
    "an unchanged list is counted": [
      "if (answer.status === 304 && known) return known.answer;\n    this.#countedAt =",
      "this.#countedAt.push(this.#client.clock.now());\n    if (answer.status === 304 && known) return known.answer;\n    this.#countedAt =",
    ],
  },
  "GitHub: at most 60 counted requests an hour while jobs run": {
    "a busy machine's runner is asked for though the jobs' list shows the end of its job": [
      'if (!stages.includes("ready") && !alive.some(({ isStuck }) => isStuck))',
      'if (!stages.includes("ready") && !stages.includes("busy"))',
    ],
  },
  "Create is never retried blindly; read new_contract from every answer": {
    "the id in an answer of an error is not read": [
      'read.kind === "unwanted" ? { kind: "unwanted", instanceId: read.id, refusal } : judgeRefusal(refusal);',
      "judgeRefusal(refusal);",
    ],
    "a gateway's time-out is a refusal": [
      'if (code === "unreadable" || status >= 500 || status === 408)',
      'if (code === "unreadable" || status >= 500)',
    ],
    "a 5xx to a create is a refusal": [
      'if (code === "unreadable" || status >= 500 || status === 408)',
      'if (code === "unreadable" || status === 408)',
    ],
    "both instances of one create stay": [
      "if (!hasRun) return alive.filter((each) => each !== instance);",
      "if (!hasRun) return [];",
    ],
    "an uncertain create is looked for once": ['(answer.kind === "refused" ? 0 : TURNS_UP_WITHIN_MS)', "0"],
    "a refused create is not looked for": [
      'const isTold = answer?.kind === "unregistered" ||',
      'const isTold = (answer && answer.kind !== "uncertain") ||',
    ],
    "a list that was asked for before a refusal proves it": [
      "noteMissed(machine, askedAt);",
      "noteMissed(machine, at);",
    ],
    "what a refused create made is welcome": [
      'const isUnwanted = answer.kind === "refused" && answer.refusal.code !== "too-fast";',
      'const isUnwanted = answer.kind === "unwanted" && answer.sentence === "";',
    ],
    "the runners of a create that made nothing stay": [
      'if (isNotMade && machineFacts(machine).stage === "asked") return [drain(machine)];',
      "",
    ],
    "a create is in flight for as long as no list can be read": [
      "const isNotMade = isTold || now - (answer?.at ?? now) >= LATE.list;",
      "const isNotMade = isTold;",
    ],
    "a runner that is online proves no create": [
      'if (isNotMade && machineFacts(machine).stage === "asked")',
      "if (isNotMade && !machineFacts(machine).isMade && machineFacts(machine).isInFlight)",
    ],
    "a create under way is cut at once by a signal": [
      "() => cut.abort(signal.reason),\n      () => {},",
      "() => {},\n      () => {},",
    ],
  },
  "Every filter is checked again on our side; max-cost must pay for the shortest sensible use": {
    "an offer above max-price passes": [
      "broken: ({ price }, { maxPrice }) => !(price.total <= maxPrice)",
      "broken: () => false",
    ],
    "an offer that max-cost can't pay passes": [
      "needs.budget !== undefined && !(leastOf(offer, needs) <= needs.budget.left)",
      "false",
    ],
    "a deadline is not cut to what max-cost leaves": ["Math.min(longestMs, affordableMs)", "longestMs"],
  },
  "Destroy is confirmed: 404 or null in the service's own JSON, one that was ever listed": {
    "a fresh instance that no answer shows is gone": [
      'course.wasListed || course.word === "denies it" || clock.now() >= course.visibleAt',
      "course.visibleAt > 0",
    ],
    "a service that denies it from the start is believed": [
      'else if (course.word === "took it") course.word = "denies it";',
      'else course.word = "denies it";',
    ],
    "an instance that is still there is not asked for again": [
      "if (isMissing && course.word !== undefined &&",
      "if (course.word !== undefined &&",
    ],
    "an instance that a list lacks is asked for before it is looked at": [
      "if (isMissing && course.word !== undefined && (await isGone(destroyer, course))) return true;",
      "",
    ],
    "one passing fault of a destruction stops renting": [
      "if (clock.now() - course.since < DESTROY_WITHIN_MS.main) return",
      "if (clock.now() < 0) return",
    ],
  },
  Post: {
    "post looks once after an uncertain create": ["isUncertain ? UNCERTAIN_LOOKS_MS : [0]", "isUncertain ? [0] : [0]"],
    "post does not destroy what its list shows": [
      "if (known === undefined) this.#courses.set(id,",
      "if (known === undefined && id < 0) this.#courses.set(id,",
    ],
    "post does not name what it could not see": [
      "if (prefix !== undefined && mayBeMore) undestroyed",
      "if (prefix === undefined && mayBeMore) undestroyed",
    ],
    "after a cancel a busy machine goes at once": ["if (isOpen) kept.until = until;", "if (isOpen) kept.until = now;"],
    "after a cancel a machine without a job waits": ["(hadJob || record.at.online !== undefined)", "true"],
    "after a cancel a machine that was ready goes before the first list of jobs": [
      "(hadJob || record.at.online !== undefined)",
      "hadJob",
    ],
    "after a cancel a machine that nobody could write of goes at once": [
      "kept.has(id) ? kept.get(id) : unreported",
      "kept.get(id)",
    ],
    "a failing main takes a machine whose job is listed": [
      'if (slots.some((slot) => jobOf(slot)?.state === "running")) return true;',
      "",
    ],
    "a failing main takes machines while nobody knows what runs": ['if (jobs === undefined) return "some";', ""],
    "a runner whose job is over keeps a machine": [
      "job?.isOver ?? (isStuck || spentAt !== undefined)",
      "job === undefined && spentAt !== undefined",
    ],
    "the run is cancelled while a job of ours runs": [
      "return running.length + (session.inputs",
      "return (session.inputs",
    ],
    "the run is cancelled by one look": [
      'return decide(await seenJobs(leaving)).do === "cancel";',
      "return leaving.until > 0;",
    ],
    "the run is cancelled while others are open": ["(jobs?.othersOpen.length ?? 0) + ", ""],
    "the run is cancelled while a machine is kept for a job": [
      "(facts) => (facts.main?.isKeeping ? whileMain(facts) : undefined),",
      "",
    ],
    "a job that ended well and took a machine stays green": [
      "return tookAway === true && hasSucceeded;",
      "return tookAway === true && hasSucceeded && end === undefined;",
    ],
    "a job that post robbed counts as over when GitHub ends it within seconds": [
      "completedAt >= start - LATE.clocks;",
      "completedAt < 0;",
    ],
  },
  "Sweep: expired, or its run attempt is completed for 60 s; doubt means leave it": {
    "the sweep takes another repository's machines": ["|| label.repositoryId !== repositoryId", ""],
    "the sweep takes another server's machines": ["label.server !== server || ", ""],
    "the sweep takes its own attempt's machines": [
      'if (isOwnAttempt(label, sweeper)) return { kind: "leave", why: "it belongs to this run attempt" };',
      "",
    ],
    "an expired machine stays": ["return label.expiry <= serviceNow;", "return label.expiry <= 0 * serviceNow;"],
    "the sweep judges expiries by its own clock": ["hasExpired(label, now + aheadMs)", "hasExpired(label, now)"],
    "the sweep asks about what expired by the service's clock": ["clock.now() + (service.aheadMs ?? 0)", "clock.now()"],
    "a run that ended a second ago is over": ["state.since + SETTLED_AFTER_MS", "state.since"],
    "a run of which GitHub says nothing is over": [
      'return state ?? { kind: "unknown", why: "it was not asked" };',
      'return state?.kind === "open" ? state : { kind: "completed", since: 0 };',
    ],
    "max-destroy is not heard": ['verdict.kind === "destroy").slice(0, maxDestroy)', 'verdict.kind === "destroy")'],
    "a dry run destroys": ["const known = isDryRun ? [] :", "const known = isDryRun && due.length < 0 ? [] :"],
    "a run that was re-run meanwhile is cancelled": ["if (!(await isStillStuck(search, run))) {", "if (run.id < 0) {"],
    "a run that has a machine is cancelled": ["if (run.hasMachine || !open.every(", "if (!open.every("],
  },
  "Tokens and secrets": {
    "a secret is not masked": ["  core.setSecret(secret);", ""],
    "a key is sent over http": [
      '(url?.protocol === "http:" && isLoopback(url.hostname))',
      '(url?.protocol === "http:")',
    ],
    "a refusal shows what was sent": ["sentence: hide(answer.refusal.sentence)", "sentence: answer.refusal.sentence"],
  },
};

/** What the machine itself does (onstart/): these are tried by the tests of that room. */
const MACHINE: Rules = {
  "The machine gives itself back": {
    "the guard does not end at its time": ["if ((elapsed >= life)); then", "if ((elapsed >= life + 100000)); then"],
    "a machine's script counts no max-lifetime": ["live $((GHR_MAX_LIFETIME + 15))", 'live "$GHR_MAX_UPTIME"'],
    "a restart begins a new term": ["read -r life <>limit || life=$GHR_MAX_UPTIME", "life=$GHR_MAX_UPTIME"],
    "a machine lives beyond its deadline": ["((life < lived + $1)) || life", "life"],
    "without a proven key there are no 3 minutes": ["local life=180", "local life=18000"],
    "a second guard starts while the first runs": ["  take_lock || ", "  take_lock; true || "],
  },
};

/** What people read. */
const REPORT: Rules = {
  "Summary: a chart of at most 40 rows, in our own words, with every job": {
    "a chart is as long as there are machines": ["rowsUntil(sections, index) <= MOST_ROWS", "true"],
    "a job of no length has no row": ["mark === DONE && to - from < 1000", "to - from < 1000"],
    "a heading has the addresses of jobs": [
      "escaped(withoutLinks(firstSentence(mainEnd.message)))",
      "escaped(firstSentence(mainEnd.message))",
    ],
  },
  "Figures: a sentence that main reads, of this machine alone": {
    "a figure that is there twice is believed": [
      ".size < pairs.length ? undefined : written",
      ".size < 0 ? undefined : written",
    ],
  },
};

/** What a run believes of earlier ones. */
const HISTORY: Rules = {
  "A record counts only with the MAC of this workflow, and is bounded": {
    "a record is read whatever its signature": [
      'const signed = verified(key, "record", line);',
      'const signed = line.split(".")[2];',
    ],
    "a record of another workflow fits": [
      '["history", VERSION, repositoryId, workflow]',
      '["history", VERSION, repositoryId]',
    ],
    "a record may unpack to any size": ["{ maxOutputLength: Math.max(1, most) }", "{}"],
    "a record tells of the future": [
      "value * 1000 > now + AHEAD_AT_MOST_MS ? undefined : value * 1000",
      "value * 1000",
    ],
    "a line is longer than GitHub shows": [
      "line.length > LONGEST_LINE ? undefined : line",
      "line.length > 1200 ? undefined : line",
    ],
  },
  "Read: the previous attempt, then the newest runs of this workflow; four logs, ten requests, one line for a fault": {
    "the first ranking does not wait for the history": ["    await history.ready;\n", ""],
    "a run of a fork is read": ['&& !isOfFork && conclusion !== "skipped"', '&& conclusion !== "skipped"'],
    "the previous attempt is not read": ["return attempt > 1 ? [{ id: runId", "return attempt > 99 ? [{ id: runId"],
    "of two runs at once one is lost": [
      "return !isKnown && updatedAt > (this.#wholeSince ?? 0);",
      "return !isKnown && this.#wholeSince === undefined;",
    ],
    "more than ten requests": ["this.#requests >= MOST_REQUESTS - 1) return []", "this.#requests >= 99) return []"],
    "a run that could not look back is the end of the way": [
      "if (head?.isWhole) this.#wholeSince",
      "if (head) this.#wholeSince",
    ],
    "a log that is gone ends the reading": [
      "    await orElse(read, ({ message }) => this.#isUnread(run, message), signal);",
      "    await read();",
    ],
  },
  "Facts expire after 30 days; max-cost-30d counts gaps with the mean": {
    "an old run counts for ever": ["runs: runs.filter(({ at }) => at > since),", "runs,"],
    "runs without room cost nothing": [
      "const sums = sumsOf(days, runs.slice(0, runs.length - ofRuns.rows));",
      "const sums = days;",
    ],
    "a gap costs nothing": ['total("usd") + unread.size * mean', 'total("usd")'],
    "the rest of the month bounds nothing": ["rest >= (maxCost ?? Number.POSITIVE_INFINITY)", "rest >= 0"],
  },
};

/**
 * Decisions whose loss costs money or a job. Whoever moves such a line renews its row: a text that
 * does not stand there exactly once makes `npm run mutants` fail before it runs any test.
 */
export const MUTANTS: readonly Mutant[] = Object.entries({
  ...FLEET,
  ...PROTOCOL,
  ...HISTORY,
  ...MACHINE,
  ...REPORT,
}).flatMap(([rule, rows]) => Object.entries(rows).map(([name, [find, replace]]) => ({ name, rule, find, replace })));
