import pg from 'pg'

interface FillOptions {
  readonly ownerUrl: string
  readonly accountId: string
  readonly rows: number
  /** From so many months ago until now, evenly. */
  readonly months: number
  /** How many keys have made them in turn; one, unless told. Each second one has an external id. */
  readonly keys?: number
}

/** Entries that arrived in the same millisecond. */
const rowsPerTick = 100

/** A product operation that succeeded, or not; out of 10,000. Rarest last. */
const kinds: readonly (readonly [
  share: number,
  service: string,
  route: string,
  status: number,
  credits: number,
])[] = [
  [3000, 'contacts', '/v1/contacts/search', 200, 7],
  [2500, 'contacts', '/v1/contacts/reveal', 200, 5],
  [1500, 'seo', '/v1/seo/keywords', 200, 2],
  [1200, 'account', '/v1/account/credits', 200, 0],
  [900, 'contacts', '/v1/contacts/{contact_id}', 200, 0],
  [500, 'contacts', '/v1/contacts/{contact_id}', 404, 0],
  [200, 'reviews', '/v1/reviews/items', 200, 31],
  [100, 'promote', '/v1/promote/sends', 201, 120],
  [50, 'seo', '/v1/seo/audits', 422, 0],
  [30, 'markets', '/v1/markets/reports', 201, 50],
  [19, 'contacts', '/v1/contacts/search', 502, 0],
  [1, 'promote', '/v1/promote/sends', 201, 1000],
]

/**
 * A usage log of any length, with the kinds that its filters need; the same one for the same
 * options.
 */
export async function fillUsageLog(options: FillOptions): Promise<void> {
  const { ownerUrl, accountId, rows, months, keys = 1 } = options
  const client = new pg.Client({
    connectionString: ownerUrl,
    options: '-c gateway.account_id=* -c timezone=UTC -c synchronous_commit=off',
  })
  await client.connect()
  try {
    await addPastMonths(client, months)
    // Sorted at the end it is made several times as fast as row by row.
    const { rows: indexes } = await client.query<{ definition: string }>(
      `SELECT pg_get_indexdef('usage.usage_log_kind'::regclass) AS definition`,
    )
    await client.query('DROP INDEX usage.usage_log_kind')
    await client.query(fillOf(keys > 1), [
      ...[accountId, Math.ceil(rows / rowsPerTick), rowsPerTick, rows, months],
      ...[1, 2, 3, 4].map((column) => kinds.map((kind) => kind[column])),
      kinds.map((_, index) => kinds.slice(0, index).reduce((sum, [share]) => sum + share, 0)),
      keys,
    ])
    await client.query(`SET maintenance_work_mem = '256MB'`)
    for (const { definition } of indexes) await client.query(definition.replace(' ONLY ', ' '))
    await client.query(
      `INSERT INTO usage.usage_kind
       SELECT DISTINCT $1, 'live', service, (status / 100)::smallint, usage.credit_class(credits)
       FROM unnest($2::text[], $3::int[], $4::bigint[]) AS k (service, status, credits)`,
      [accountId, ...[1, 3, 4].map((column) => kinds.map((kind) => kind[column]))],
    )
    await client.query('VACUUM ANALYZE usage.usage_log')
    await client.query('ANALYZE usage.usage_kind')
  } finally {
    await client.end()
  }
}

/** The sums that series read, as recording would have made them of the log: one day after the other. */
export async function sumUsageLog(ownerUrl: string): Promise<void> {
  const client = new pg.Client({
    connectionString: ownerUrl,
    options: '-c gateway.account_id=* -c timezone=UTC -c synchronous_commit=off -c work_mem=256MB',
  })
  await client.connect()
  try {
    await client.query(`
      INSERT INTO usage.usage_endpoint
      SELECT account_id, environment, unit, date_trunc(unit, ts), service, method || ' ' || route,
        count(*), count(*) FILTER (WHERE status < 400), sum(credits),
        usage.count_steps(usage.latency_class(latency_ms), 1)
      FROM usage.usage_log CROSS JOIN (VALUES ('day'), ('hour')) AS u (unit)
      GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 4`)
    await client.query(`
      INSERT INTO usage.usage_service
      SELECT account_id, environment, unit, date_trunc(unit, ts), service, count(*),
        count(*) FILTER (WHERE status < 400), sum(credits),
        usage.count_steps(usage.latency_class(latency_ms), 1)
      FROM usage.usage_log CROSS JOIN (VALUES ('day'), ('hour')) AS u (unit)
      GROUP BY 1, 2, 3, 4, 5 ORDER BY 4`)
    await client.query(`
      INSERT INTO usage.usage_key
      SELECT account_id, environment, unit, date_trunc(unit, ts), service, coalesce(key_id, ''),
        coalesce(client_id, ''), coalesce(external_id, ''), false, count(*),
        count(*) FILTER (WHERE status < 400), sum(credits), min(request_id), max(request_id)
      FROM usage.usage_log CROSS JOIN (VALUES ('day'), ('hour')) AS u (unit)
      GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 4`)
    await client.query('VACUUM ANALYZE usage.usage_endpoint')
    await client.query('VACUUM ANALYZE usage.usage_service')
    await client.query('VACUUM ANALYZE usage.usage_key')
  } finally {
    await client.end()
  }
}

/** The key that has made the entries with this place among the keys. */
export function keyOfUsageRows(place: number): string {
  return `key_01m7wkd08se0088y3rz3jg${String(place).padStart(4, '0')}`
}

/** Adds the partitions that would be there if the gateway had been running since then. */
export async function addPastMonths(client: pg.Client, months: number): Promise<void> {
  await client.query(`
    DO $do$
      DECLARE
        oldest timestamptz := date_trunc('month', now()) - interval '${months} months';
        begins timestamptz := (SELECT begins_at FROM usage.usage_log_extent);
      BEGIN
        IF begins <= oldest THEN RETURN; END IF;
        DROP TABLE usage.usage_log_before;
        PERFORM usage.add_partition(usage.partition_of(m), usage.lowest_request_id(m),
          usage.lowest_request_id(m + interval '1 month'))
        FROM generate_series(oldest, begins - interval '1 month', interval '1 month') AS m;
        PERFORM usage.add_partition('usage_log_before', NULL, usage.lowest_request_id(oldest));
        UPDATE usage.usage_log_extent SET begins_at = oldest;
      END $do$`)
}

/** Without external ids it also fills the log of a schema that has no column of them. */
const fillOf = (hasExternalIds: boolean) => `
  INSERT INTO usage.usage_log (account_id, environment, request_id, ts, method, endpoint, route,
    service, status, credits, latency_ms, trace_id, backend_module, key_id${hasExternalIds ? ', external_id' : ''})
  SELECT $1, 'live', t.prefix || lpad(to_hex(n), 16, '0'), t.ts, 'POST', k.route, k.route,
    k.service, k.status, k.credits, 20 + n % 90, '4bf92f3577b34da6a3ce929d0e0e4736', 'backend',
    'key_01m7wkd08se0088y3rz3jg' || lpad((n % $11::int)::text, 4, '0')
    ${hasExternalIds ? ", CASE WHEN n % $11::int % 2 = 1 THEN 'team-' || n % $11::int END" : ''}
  FROM (
    SELECT tick, ts, left(usage.lowest_request_id(ts), 14) AS prefix FROM (
      SELECT tick, (now() - make_interval(months => $5)
        + tick * (make_interval(months => $5) / $2::int))::timestamptz(3) AS ts
      FROM generate_series(0, $2::int - 1) AS tick
    ) ticks
  ) t
  -- Of the tick, so that they are stored in the order of their times, as entries are.
  CROSS JOIN LATERAL generate_series(0, $3::int - 1 + 0 * t.tick) AS n
  -- Spread evenly, and the same every time.
  CROSS JOIN LATERAL (SELECT ((t.tick::bigint * $3 + n) * 7919 % 10000)::int AS luck) l
  CROSS JOIN LATERAL (
    SELECT ($6::text[])[i] AS service, ($7::text[])[i] AS route, ($8::int[])[i] AS status,
      ($9::bigint[])[i] AS credits
    FROM (SELECT width_bucket(luck, $10::int[]) AS i) b
  ) k
  WHERE t.tick::bigint * $3 + n < $4`
