-- Returns the number of the last commit of a partition, and the number of its links that are not
-- finished and of its letters that were not read or delivered.
-- KEYS: owner, inbox, outbox.
local owner = redis.call('HMGET', KEYS[1], 'commit', 'open')
local letters = redis.call('LLEN', KEYS[2]) + redis.call('LLEN', KEYS[3])
return { tonumber(owner[1] or '0'), tonumber(owner[2] or '0') + letters }
