# A server of MCP, which answers as the file `server.answers` of a case says: `sh server.sh [MODE]`.
#
# The file has blocks: a line with a pattern of the shell, and under it, indented, what the server does when a line comes
# that the pattern matches. The first block that matches counts. Before the pattern is compared, the line gets the mode and a
# blank in front.
#
#   result JSON        answers the request
#   error JSON         refuses the request
#   text TEXT          answers with a text, as a tool does
#   print TEXT         prints a line that is no answer
#   stderr TEXT        prints a line to standard error
#   ask METHOD JSON    sends a request, whose id is also one of the client's, and reads the reply
#   expect PATTERN     ends the server with the exit code 4 unless the last reply matches
#   quote              answers with the words of the last reply
#   quote-line         answers with the words of the line itself, from its responses on
#   capabilities       answers with the capabilities of the client
#   remember           keeps the id of the request
#   answer-remembered  the next answer is for the request whose id was kept
#   become MODE        changes the mode
#   create FILE        creates an empty file
#   absent FILE        leaves the block for the next that matches if there is such a file
#   exit CODE          ends the server
#
# What is in no block: `initialize` succeeds, `server/discover` is refused as by servers that are older than it, and everything
# else has no answer.
mode=${1-}
request() { id=${1#*\"id\":}; id=${id%%,*}; }
respond() { printf '{"jsonrpc":"2.0","id":%s,"%s":%s}\n' "$id" "$1" "$2"; }
text() { respond result "{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
# The words of a message, from its result on.
words() { printf %s "$1" | sed 's/.*"\(result\|error\|inputResponses\)"/\1/; s/[\\"{}]//g'; }
matches() { case $1 in $2) ;; *) return 1 ;; esac; }

# Does one thing. It fails if the block is not the one.
act() {
  case $1 in
    result | error) respond "$1" "$2" ;;
    text) text "$2" ;;
    print) printf '%s\n' "$2" ;;
    stderr) printf '%s\n' "$2" >&2 ;;
    ask)
      printf '{"jsonrpc":"2.0","id":2,"method":"%s","params":%s}\n' "${2%% *}" "${2#* }"
      IFS= read -r reply <&3
      ;;
    expect) matches "$reply" "$2" || exit 4 ;;
    quote) text "$(words "$reply")" ;;
    quote-line) text "$(words "$line")" ;;
    capabilities) text "$(printf %s "$first" | sed 's/.*"capabilities":\(.*\),"clientInfo.*/\1/; s/"//g')" ;;
    remember) remembered=$id ;;
    answer-remembered) id=$remembered ;;
    become) mode=$2 ;;
    create) : >"$2" ;;
    absent) [ ! -e "$2" ] ;;
    exit) exit "$2" ;;
    *) echo "server.sh: \`$1\` is nothing that it does" >&2 && exit 2 ;;
  esac
}

# Does what the file says for a line. It fails if no block is about it.
answer() {
  is_it=
  while IFS= read -r entry; do
    case $entry in
      '' | '#'*) ;;
      '  '*)
        entry=${entry#  }
        [ -z "$is_it" ] || act "${entry%% *}" "${entry#* }" || is_it=
        ;;
      *)
        [ -z "$is_it" ] || return 0
        ! matches "$matched" "$entry" || is_it=1
        ;;
    esac
  done <server.answers
  [ -n "$is_it" ]
}

exec 3<&0
while IFS= read -r line <&3; do
  request "$line"
  matched="$mode $line"
  case $line in *'"method":"initialize"'*) first=$line ;; esac
  if ! answer; then
    case $line in
      *'"method":"initialize"'*) respond result '{"protocolVersion":"2025-11-25"}' ;;
      *'"method":"server/discover"'*) respond error '{"code":-32601,"message":"Method not found"}' ;;
    esac
  fi
done
