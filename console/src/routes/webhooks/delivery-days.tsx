import type { WebhookEndpoint } from 'credit-gateway-sdk'

const dayMs = 86_400_000
const [width, height, gap] = [10, 24, 2]

/** The last seven days in UTC, oldest first, also those without deliveries. */
function weekOf(days: WebhookEndpoint['delivery_days'], nowMs: number) {
  return Array.from({ length: 7 }, (_, index) => {
    const day = new Date(nowMs - (6 - index) * dayMs).toISOString().slice(0, 10)
    return days.find((one) => one.day === day) ?? { day, tried: 0, arrived: 0 }
  })
}

/** How many deliveries arrived in a week: the share in words, and each day as a bar. */
export function DeliveryDays({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { delivery_rate: rate, delivery_days: days } = endpoint
  if (rate === null) return <span className="quiet">Nothing sent in 7 days</span>
  const week = weekOf(days, Date.now())
  const most = Math.max(...week.map(({ tried }) => tried))
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(2, (count / most) * height))
  const told = week.map(({ day, tried, arrived }) => `${day}: ${arrived} of ${tried}`).join(', ')
  return (
    <div className="delivery-days">
      <span className="amount">{Math.floor(rate * 1000) / 10} %</span>
      <svg
        {...{ width: 7 * (width + gap), height, role: 'img' }}
        aria-label={`Arrived by day (UTC): ${told}`}
      >
        {week.map(({ day, tried, arrived }, index) => (
          <g key={day}>
            <title>{`${day} (UTC): ${arrived} of ${tried} arrived`}</title>
            <rect
              {...{ x: index * (width + gap), width, rx: 1, className: 'day-failed' }}
              {...{ y: height - heightOf(tried), height: heightOf(tried) }}
            />
            <rect
              {...{ x: index * (width + gap), width, rx: 1, className: 'day-arrived' }}
              {...{ y: height - heightOf(arrived), height: heightOf(arrived) }}
            />
            <rect
              {...{ x: index * (width + gap), width, className: 'day-ground' }}
              {...{ y: height - 1, height: 1 }}
            />
          </g>
        ))}
      </svg>
    </div>
  )
}
