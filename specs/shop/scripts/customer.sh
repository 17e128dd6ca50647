#!/bin/sh
# Plays a customer: reads a question as JSON, and prints what the customer says next.
case "$(cat)" in
  *'"last_response":"Your cart is fine'*) echo '{"input": "The express shipping option"}' ;;
  *) echo '{"goal_achieved": true, "reasoning": "the total is known"}' ;;
esac
