-- Gives a partition back, if this worker still holds it in this epoch. A partition with requests
-- under way keeps the name of the worker, so that its next holder waits for their end.
-- KEYS: owner. ARGV: worker, epoch, 1 if requests are under way. Returns 1 if it did.
local owner = redis.call('HMGET', KEYS[1], 'worker', 'epoch')
if owner[1] ~= ARGV[1] or owner[2] ~= ARGV[2] then
  return 0
end
redis.call('HSET', KEYS[1], 'worker', ARGV[3] == '1' and ARGV[1] or '', 'until', 0)
return 1
