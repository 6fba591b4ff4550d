-- Puts a batch of letters into an inbox, unless it was put there before.
-- KEYS: inbox, mark of the batch. ARGV: batch, the time for which the mark is kept in milliseconds.
if redis.call('SET', KEYS[2], '', 'NX', 'PX', ARGV[2]) then
  redis.call('RPUSH', KEYS[1], ARGV[1])
end
return 1
