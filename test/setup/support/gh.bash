#!/bin/bash
# A stand-in for GitHub's command line. It hands login, standard input and words to gh-answers.ts, and does what that
# says. One process: a gh in bash and curl takes far longer than all else of a test.
input=''
case " $* " in *' --input '* | ' secret set '*) IFS='' read -r -d '' input ;; esac
exec 3<>"/dev/tcp/127.0.0.1/$GH_STANDIN_PORT"
printf '%s\0' "$(($# + 2))" "$GH_TOKEN" "$input" "$@" >&3
for part in code out err; do IFS='' read -r -d '' "${part?}" <&3; done
printf '%s' "${out?}"
printf '%s' "${err?}" >&2
exit "${code?}"
