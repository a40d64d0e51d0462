#!/usr/bin/env bash
#
# Runs one runner after another, each for one job, until none is left or a fault ends it. It is read
# before work.sh, as one text with it.
#
#   variable                      from         what
#   GHR_JIT, GHR_JIT_2, _3, _4    the action   single-use runner configurations, a job each; secret
#   GHR_MAX_LIFETIME              the action   seconds from the first listener on; none starts in their last half
#   GHR_IDLE_TIMEOUT              the action   seconds that a runner may wait for a job
#   GHR_KEEP_FAILED               the action   seconds that it stays when its job failed; 0 for none
#   GHR_SIGNAL                    the guard    what interrupts a program, where that is not SIGINT
#
# Files in GHR_ROOT: home/ (what a job may change in $HOME, from before the first) · listening (when
# the runner started) · done (made after a look at a kept machine)

# Sets `configuration` to the next one, if there is one. It is never a used one, even after a restart.
next_configuration() {
  local all=("${GHR_JIT-}" "${GHR_JIT_2-}" "${GHR_JIT_3-}" "${GHR_JIT_4-}") starts
  mapfile -t starts <>spent
  configuration=${all[${#starts[@]}]-}
  [[ -n $configuration ]]
}

# What jobs leave in $HOME and the next one must not get: credentials and git's settings. Caches stay.
OF_JOBS=(.gitconfig .git-credentials .netrc .npmrc .pypirc .docker .aws .azure .kube
  .ssh/{config,id_{rsa,ecdsa,ed25519}}
  .config/{git,gh,gcloud} .cache/huggingface/{token,stored_tokens})

remember_home() {
  local name
  [[ ! -d home ]] || return 0
  mkdir home
  for name in "${OF_JOBS[@]}"; do
    [[ ! -e $HOME/$name ]] || (cd "$HOME" && cp -a --parents "$name" "$GHR_ROOT/home/")
  done
}

# A job may leave files of root. If this user may use sudo, root removes them.
clean() {
  local reason
  reason=$("$@" 2>&1) || as_root "$@" 2>/dev/null ||
    fail "This machine can't be cleaned for a further job: ${reason%%$'\n'*}"
}

clean_up() {
  local name
  clean rm -rf runner/{_work,_diag,.runner{,_migrated},.credentials{,_migrated,_rsaparams}} accepted refused
  for name in "${OF_JOBS[@]}"; do
    clean rm -rf "$HOME/$name"
    [[ ! -e home/$name ]] || (cd ./home && clean cp -a --parents "$name" "$HOME/") || exit 1
  done
}

# Whether the runner printed this. Sets `said` to the log's lines since its start, because earlier lines
# are not its own.
runner_said() {
  local starts
  mapfile -t starts <spent
  mapfile -t -s "${starts[-1]}" said <log
  [[ ${said[*]} == *"$1"* ]]
}

# Sets `words` to the last line in `said` with content, without its time. Lines of ours, of a stack and
# of the runner's clean-up don't count. If the runner was stopped because no job came, `words` is what
# its own log says of a job that it was refused, which it never prints.
read_last_words() {
  local line
  if [[ $stopping ]]; then
    [[ ! $(tail -n 999 runner/_diag/* 2>/dev/null) =~ (Skipping message Job|acquiring job)[^$'\n']* ]] || words=${BASH_REMATCH[0]}
  else
    for line in "${said[@]}"; do
      line=${line#[0-9]*Z: }
      [[ $line != [![:blank:]]* || $line == @(*' ghr: '|'√ Removed')* ]] || words=$line
    done
  fi
}

# A job has come when the runner says so, or has started a worker for it. The hook would be too late,
# because it runs after the downloads of the job's actions.
job_came() {
  [[ -e accepted || -e refused ]] || compgen -G 'runner/_diag/Worker_*' >/dev/null || runner_said 'Running job'
}

# Ends a listening runner to which no job came, two minutes after the action would, so that the action
# acts first. Or ends one to which a foreign job came, after 30 s in which it reports the refusal to
# GitHub. It stays in our own process group, because an interrupted runner that doesn't react takes all
# of the group along. Otherwise a job that came during the interrupt has until the deadline to end.
watch_idle() {
  local waited=0 refused=0 asked=''
  trap '' INT TERM
  # It waits by a pipe of its own, so that it leaves no process when it ends.
  eval 'exec 3<> <(:)'
  # Only now: bash 5.2 may stumble over a trap that runs while it reads `<(`. Before, the signal ends it, too.
  trap exit USR1
  while pause 15; do
    ((waited += 15))
    if [[ -e refused ]]; then
      (((refused += 1) > 2)) || continue
    elif job_came; then
      [[ -z $asked ]] || { log 'A job came as the runner was stopped.' && return; }
      continue
    else
      ((waited >= GHR_IDLE_TIMEOUT + 120)) || continue
    fi
    [[ -z $asked ]] || kill -KILL 0
    log 'No job for this machine; stopping the runner.'
    kill "-${GHR_SIGNAL-INT}" 0
    asked=1
  done
}

run_runner() {
  local lines said watcher
  [[ ! -e over ]] || fail 'Time is up.'
  mapfile -t lines <log
  echo "${#lines[@]}" >>spent
  printf '%(%s)T\n' -1 >listening
  log 'Starting the runner.'
  watch_idle &
  watcher=$!
  # Bash would report that it was killed.
  disown || true
  code=0
  (ACTIONS_RUNNER_INPUT_JITCONFIG=$configuration ACTIONS_RUNNER_HOOK_JOB_STARTED=$GHR_ROOT/job-started.sh \
    RUNNER_ALLOW_RUNASROOT=1 as_given runner/bin/Runner.Listener run) || code=$?
  kill -USR1 "$watcher" || true
  log "The runner ended with code $code."
  words=''
  job_came || read_last_words
  [[ -z $words ]] || log "No job came to it. Its last words: ${words:0:300}"
}

# Keeps a machine whose job failed, as its runner reported. Fails if there is nothing to see.
keep_failed() {
  local waited=0
  { ((GHR_KEEP_FAILED > 0)) && [[ ! -e refused ]] && runner_said ' result: Failed'; } || return
  # A restart of the container starts no further runner either.
  : >over
  log "A job failed: kept for SSH for $GHR_KEEP_FAILED s, or until $GHR_ROOT/done exists."
  while [[ ! -e "done" && -z $stopping ]] && ((waited < GHR_KEEP_FAILED)); do
    sleep 5 || true
    ((waited += 5))
  done
  log 'The look is over.'
}

# After an interrupt a runner was idle, or the time is up, so no further one starts. A runner that ended
# without a job, because of a fault of GitHub's, has used its configuration. The next one has its own.
run_runners() {
  local configuration code words='' stopping=''
  trap 'stopping=1' INT TERM
  remember_home
  while [[ -z $stopping ]] && next_configuration; do
    # From its first listener on the machine lives for that long, the ticks rounded up.
    live $((GHR_MAX_LIFETIME + 15))
    if [[ -s spent ]]; then
      # shellcheck disable=SC2154 # `live` sets them.
      ((2 * (life - lived) >= GHR_MAX_LIFETIME)) || { log 'Less than half of max-lifetime is left: no further job.' && return; }
      clean_up
    fi
    run_runner
    if [[ $code == [34] ]]; then
      log 'GitHub updates the runner: no further job.'
      break
    fi
    if keep_failed; then return; fi
  done
  [[ -z $words ]] || exit
}
