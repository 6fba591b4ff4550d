-- Extends the lease of a partition, if this worker still holds it in this epoch.
-- KEYS: owner. ARGV: worker, epoch, length of a lease in milliseconds.
-- Returns the number of the last commit if it did, -1 otherwise.
local owner = redis.call('HMGET', KEYS[1], 'worker', 'epoch', 'commit')
if owner[1] ~= ARGV[1] or owner[2] ~= ARGV[2] then
  return -1
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], 'until', now + ARGV[3])
return tonumber(owner[3] or '0')
