-- Keeps the numbers that a worker has learned.
-- KEYS: numbers, crawl. ARGV: the numbers, and the identifier of the crawl.
if redis.call('HGET', KEYS[2], 'id') ~= ARGV[2] then
  return redis.error_reply('DROPPED the crawl is not on this server any more')
end
redis.call('SET', KEYS[1], ARGV[1])
return 1
