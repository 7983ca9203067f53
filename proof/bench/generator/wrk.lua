-- Sends the requests of a file in turn, whatever the connection, and tells how they were answered. The arguments are
-- the file and the first characters of all keys. wrk.ts writes the file and reads the answer.

local requests, keys = {}, 0
statuses = {}

function init(arguments)
  local file = assert(io.open(arguments[1], "rb"))
  for request in file:read("*a"):gmatch("[^\30]+") do
    local head, rest = request:match("^(.*)\26(.*)$")
    requests[#requests + 1] = { (head or request) .. (head and arguments[2] or ""), rest }
  end
  file:close()
end

local sent = 0

function request()
  local text, rest = unpack(requests[sent % #requests + 1])
  sent = sent + 1
  if not rest then return text end
  keys = keys + 1
  return text .. string.format("%012d", keys) .. rest
end

function response(status)
  statuses[status] = (statuses[status] or 0) + 1
end

local thread

function setup(created)
  thread = created
end

function done(summary, latency)
  local counts = {}
  for status, count in pairs(thread:get("statuses")) do
    counts[#counts + 1] = string.format('"%d":%d', status, count)
  end
  local errors = summary.errors
  io.stderr:write(string.format(
    '{"seconds":%f,"errors":%d,"countByStatus":{%s},"p50Ms":%f,"p99Ms":%f,"maxMs":%f}\n',
    summary.duration / 1e6,
    errors.connect + errors.read + errors.write + errors.timeout,
    table.concat(counts, ","),
    latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3,
    latency.max / 1e3
  ))
end
