#!/bin/sh
echo true
