import { useNavigate } from '@tanstack/react-router'
import type { Filters } from './search.ts'

/** Opens the requests that these filters of Logs choose. */
export function useOpenLogs(): (filters: Filters) => void {
  const navigate = useNavigate()
  return (filters) => void navigate({ to: '/logs', search: filters as never })
}
