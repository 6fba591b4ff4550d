#!/bin/sh
# Runs a worker of a shared crawl: resumes the crawl in its folder, or joins if there is none.
#
# The folder is named after the container, so that workers of one service can share a volume.
set -eu
folder=/crawl/$(uname -n)
if [ -e "$folder/run.json" ]; then
    # shellcheck disable=SC2086
    exec ontrail crawl resume "$folder" ${ONTRAIL_FLAGS-}
fi
# The crawl exists as soon as the first worker has begun it.
until ontrail crawl shared list "$ONTRAIL_SERVER" | grep -qxF "$ONTRAIL_NAME"; do
    sleep 2
done
# shellcheck disable=SC2086
exec ontrail crawl join "$ONTRAIL_SERVER" "$ONTRAIL_NAME" -o "$folder" ${ONTRAIL_FLAGS-}
