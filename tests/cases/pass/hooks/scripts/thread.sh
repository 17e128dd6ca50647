#!/bin/sh
echo '{"THREAD_ID": "vip-7", "CART": [], "TOTAL": 0, "PAID": 0, "WORDS": "thread vip-7 is vip-7"}'
