import { NativeSelect, Text, TextInput } from '@mantine/core'
import type { AuditExportRequest } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, queries } from '../../api.ts'
import { statusClasses } from '../../components/forms/filters.tsx'
import { FormDialog, instantOf, textOf } from '../../components/forms/form-dialog.tsx'
import { fieldErrors } from '../../components/problem.tsx'
import { useAct } from '../../data/act.ts'
import { useFilters } from '../../data/search.ts'
import { services } from '../../format/names.ts'

const kinds = [
  { value: 'activity', label: 'Audit trail: who changed what' },
  { value: 'requests', label: 'Usage log: every request' },
]

const fields = ['kind', 'from', 'to', 'actor', 'service', 'status_class']

/** Leaves out empty inputs. */
function readRequest(values: FormData): AuditExportRequest {
  const entries = ['kind', 'actor', 'service', 'status_class'].map((name) => [
    name,
    textOf(values, name),
  ])
  const span = ['from', 'to'].map((name) => [name, instantOf(values, name)])
  const given = [...entries, ...span].filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as AuditExportRequest
}

/** Starts an export. A job writes the file, and this page shows its progress. */
export function BeginExport({ onClose }: { readonly onClose: () => void }) {
  const { filters } = useFilters()
  const [kind, setKind] = useState('activity')
  const begin = useAct(async (values: FormData) => {
    await acting.audit.createExport(readRequest(values))
    await queries.invalidateQueries({ queryKey: ['exports'] })
    onClose()
  })
  const errors = fieldErrors(begin.problem)
  return (
    <FormDialog
      {...{ title: 'Export as CSV', submit: 'Begin export', onClose, fields }}
      {...{ isBusy: begin.isBusy, problem: begin.problem }}
      onSubmit={(values) => void begin.run(values)}
    >
      <Text size="sm">Empty inputs do not limit the file.</Text>
      <NativeSelect
        {...{ name: 'kind', label: 'What', data: kinds, value: kind, error: errors.kind }}
        onChange={({ currentTarget }) => setKind(currentTarget.value)}
      />
      <TextInput {...{ name: 'from', label: 'From', type: 'datetime-local', error: errors.from }} />
      <TextInput {...{ name: 'to', label: 'To', type: 'datetime-local', error: errors.to }} />
      {kind === 'activity' && (
        <TextInput
          {...{ name: 'actor', label: 'Who', placeholder: 'key_…, app_…', error: errors.actor }}
          defaultValue={filters.actor ?? ''}
        />
      )}
      {kind === 'requests' && (
        <>
          <NativeSelect
            {...{ name: 'service', label: 'Service', error: errors.service }}
            data={[{ value: '', label: 'All' }, ...services]}
          />
          <NativeSelect
            {...{ name: 'status_class', label: 'Status', error: errors.status_class }}
            data={[{ value: '', label: 'All' }, ...statusClasses]}
          />
        </>
      )}
    </FormDialog>
  )
}
