import { useParams } from '@tanstack/react-router'
import type {
  Environment,
  EnvironmentInput,
} from '../../../../schema/generated/operator-operations.ts'
import { useFilters } from '../../../src/data/search.ts'

/** The account and the environment that the address names. */
export interface Where {
  readonly id: string
  readonly environment: EnvironmentInput
  /** The same in the words of the log and of the audit trail. */
  readonly inLog: Environment
}

export function useWhere(): Where {
  const { accountId = '' }: { accountId?: string } = useParams({ strict: false })
  const isSandbox = useFilters().filters.environment === 'sandbox'
  return {
    id: accountId,
    environment: isSandbox ? 'SANDBOX' : 'LIVE',
    inLog: isSandbox ? 'sandbox' : 'live',
  }
}

/** What the documents of one environment take. */
export function stateOf({ id, environment }: Where) {
  return { id, environment } as const
}
