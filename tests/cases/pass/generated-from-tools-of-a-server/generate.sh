# Makes a case for the tool that it is shown.
case $(cat) in
  *'"target_tools":[{"name":"search","description":"Finds shoes","parameters":{"type":"object"}}]'*)
    echo '{"cases":[{"id":"shoes","input":"shoes","assert":{"type":"tool_called","value":"search"}}]}'
    ;;
esac
