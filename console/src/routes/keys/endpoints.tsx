import type { OpenApiDocument } from 'credit-gateway-sdk'
import { useState } from 'react'
import { gateway } from '../../api.ts'
import { Loading } from '../../components/list.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { useRead } from '../../data/read.ts'
import { creditsText, integer } from '../../format/numbers.ts'
import { type Scope, verbOf } from './scopes.ts'

interface EndpointsProps {
  readonly label: string
  readonly scopes: readonly Scope[]
}

/** The endpoints that need these scopes, with their prices. The document with them is loaded when it is opened. */
export function Endpoints({ label, scopes }: EndpointsProps) {
  const [isOpen, setOpen] = useState(false)
  const document = useRead<OpenApiDocument>(
    ['openapi'],
    (options) => gateway.gateway.getOpenapi({}, options),
    { isEnabled: isOpen },
  )
  return (
    <details className="endpoints" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Endpoints and prices<span className="unseen"> of {label}</span>
      </summary>
      {document.error && (
        <ProblemNotice error={document.error} retry={() => void document.refetch()} />
      )}
      {document.isLoading && <Loading what="the endpoints" />}
      {isOpen && document.data && (
        <ul className="plain">
          {endpointsOf(document.data, scopes).map(({ method, path, scope, price }) => (
            <li key={`${method} ${path}`}>
              <span className="mono">
                {method} {path}
              </span>
              <span className="quiet">
                {verbOf(scope)}, {price}
              </span>
            </li>
          ))}
        </ul>
      )}
    </details>
  )
}

interface Endpoint {
  readonly method: string
  readonly path: string
  readonly scope: Scope
  readonly price: string
}

interface Price {
  readonly flat?: number
  readonly per_unit?: number
  readonly max_units?: number
  readonly unit_name?: string
}

/** An operation of the document, as far as the list shows it. */
interface Described {
  readonly 'x-scope'?: Scope
  readonly 'x-credits'?: Price
}

function endpointsOf(document: OpenApiDocument, scopes: readonly Scope[]): readonly Endpoint[] {
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Described>>>>
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const scope = operation['x-scope']
      if (!scope || !scopes.includes(scope)) return []
      return [{ method: method.toUpperCase(), path, scope, price: priceOf(operation['x-credits']) }]
    }),
  )
}

/** Requests that are no product calls cost nothing. */
function priceOf({ flat = 0, per_unit, max_units = 0, unit_name = 'result' }: Price = {}): string {
  if (per_unit === undefined) return flat === 0 ? 'free' : creditsText(flat)
  return `${creditsText(per_unit)} per ${unit_name} (max. ${integer(max_units)})`
}
