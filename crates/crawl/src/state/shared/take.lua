-- Takes a partition that nobody holds, whose lease has run out, or that this worker held before.
-- KEYS: owner. ARGV: worker, length of a lease in milliseconds.
-- Returns the epoch, the number of the last commit, and 1 if requests of the holder before it may
-- still be under way. Epochs follow the clock, so that a number does not come again after a server
-- that failed has forgotten that it was used.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local owner = redis.call('HMGET', KEYS[1], 'worker', 'until', 'epoch', 'commit')
local holder = owner[1] or ''
if holder ~= '' and holder ~= ARGV[1] and tonumber(owner[2] or '0') > now then
  return false
end
local epoch = math.max(tonumber(owner[3] or '0') + 1, now)
redis.call('HSET', KEYS[1], 'worker', ARGV[1], 'until', now + ARGV[2], 'epoch', string.format('%.0f', epoch))
return { epoch, tonumber(owner[4] or '0'), holder ~= '' and 1 or 0 }
