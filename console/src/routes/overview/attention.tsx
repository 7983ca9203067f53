import { PageLink } from '../../components/page-link.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { Status } from '../../components/status.tsx'
import { useAttention } from '../../data/attention.ts'

/** What needs attention now, each with what to do about it; one line if nothing does. */
export function NeedsAttention() {
  const { data, error, refetch } = useAttention()
  if (error) return <ProblemNotice error={error} retry={() => void refetch()} />
  if (!data) return null
  if (data.items.length === 0) return <p className="quiet small">Nothing needs your attention.</p>
  return (
    <Card title="Needs attention">
      <ul className="rows told">
        {data.items.map(({ kind, severity, title, resource_id, action }) => (
          <li key={`${kind} ${resource_id} ${title}`}>
            <Status tone={severity === 'critical' ? 'alert' : 'caution'}>
              {severity === 'critical' ? 'Urgent' : 'Soon'}
            </Status>
            <span className="grow">{title}</span>
            {action.url && <PageLink url={action.url}>{action.label}</PageLink>}
          </li>
        ))}
      </ul>
    </Card>
  )
}
