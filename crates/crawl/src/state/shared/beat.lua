-- Records that a worker lives.
-- KEYS: workers, crawl. ARGV: worker, its figures, and the identifier of the crawl; none of them, if
-- somebody only looks.
-- Returns the time, the order that all workers obey, and all workers with the times of their last
-- beats and their figures.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[1] then
  if redis.call('HGET', KEYS[2], 'id') ~= ARGV[3] then
    return redis.error_reply('DROPPED the crawl is not on this server any more')
  end
  redis.call('HSET', KEYS[1], ARGV[1], now .. ' ' .. ARGV[2])
end
return { now, redis.call('HGET', KEYS[2], 'order') or '', redis.call('HGETALL', KEYS[1]) }
