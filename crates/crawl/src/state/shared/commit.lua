-- Applies a commit to a partition, if the worker holds it and the commit is the next one.
-- KEYS: owner, inbox, outbox, queue, and the tables that are hashes.
-- ARGV: worker, epoch, number of the commit, length of a lease in milliseconds, number of open
-- links; the number of letters that were delivered; the names of the batches that were read, the
-- letters to send, the places in the queue that have changed, and the links to put there, each
-- behind its number; for each table the number of entries to set, their keys and values, the number
-- of entries to remove, their keys.
-- Returns the result and the number of the last commit that is applied.
local owner = redis.call('HMGET', KEYS[1], 'worker', 'epoch', 'commit')
local done = tonumber(owner[3] or '0')
if owner[1] ~= ARGV[1] or owner[2] ~= ARGV[2] then
  return { 'fenced', done }
end
local number = tonumber(ARGV[3])
if number <= done then
  return { 'applied', done }
end
if number > done + 1 then
  return { 'gap', done }
end

local at = 6
local function next_number()
  local value = tonumber(ARGV[at])
  at = at + 1
  return value
end
-- A call takes some thousand arguments at most.
local function in_parts(width, call)
  local count = next_number()
  local last = at + count * width - 1
  while at <= last do
    local stop = math.min(at + 500 * width - 1, last)
    call(unpack(ARGV, at, stop))
    at = stop + 1
  end
end

local delivered = next_number()
if delivered > 0 then
  redis.call('LTRIM', KEYS[3], delivered, -1)
end
-- A server that failed may have lost batches that were read, so only those leave the inbox that are
-- still there.
for _ = 1, next_number() do
  local name = ARGV[at]
  at = at + 1
  local first = redis.call('LINDEX', KEYS[2], 0)
  if first and string.sub(first, 1, #name) == name then
    redis.call('LPOP', KEYS[2])
  end
end
in_parts(1, function(...) redis.call('RPUSH', KEYS[3], ...) end)
for _ = 1, next_number() do
  local from = '[' .. ARGV[at]
  redis.call('ZREMRANGEBYLEX', KEYS[4], from, from .. string.rep('\255', 17))
  at = at + 1
end
for _ = 1, next_number() do
  redis.call('ZADD', KEYS[4], 0, ARGV[at])
  at = at + 1
end
for table = 5, #KEYS do
  in_parts(2, function(...) redis.call('HSET', KEYS[table], ...) end)
  in_parts(1, function(...) redis.call('HDEL', KEYS[table], ...) end)
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], 'commit', number, 'until', now + ARGV[4], 'open', ARGV[5])
return { 'applied', number }
