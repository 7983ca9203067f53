import { NativeSelect, TextInput } from '@mantine/core'
import type { BillingDetails, ChangeBillingDetailsRequest } from 'credit-gateway-sdk'
import { useState } from 'react'
import { countryCodes } from '../../../../schema/vocabulary/billing/countries.ts'
import { acting, gateway, queries } from '../../api.ts'
import { Facts } from '../../components/facts.tsx'
import { FormDialog, textOf } from '../../components/forms/form-dialog.tsx'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { fieldErrors } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { Unread } from '../../components/unread.tsx'
import { useAct } from '../../data/act.ts'
import { useRead } from '../../data/read.ts'

const regions = new Intl.DisplayNames('en', { type: 'region' })
const countries = countryCodes
  .map((value) => ({ value, label: regions.of(value) ?? value }))
  .sort((one, other) => one.label.localeCompare(other.label))

/** The buyer on invoices, and the country that decides about tax. */
export function Details() {
  const [isChanging, setChanging] = useState(false)
  const details = useRead<BillingDetails>(
    ['billing', 'details'],
    (options) => gateway.billing.getDetails({}, options),
    { scopes: ['billing:read'] },
  )
  const { data } = details
  return (
    <Card
      title="Billing details"
      actions={
        <PermittedButton
          {...{ scope: 'billing:write', variant: 'default', size: 'xs', disabled: !data }}
          aria-label="Change the billing details"
          onClick={() => setChanging(true)}
        >
          Change
        </PermittedButton>
      }
    >
      {!data && <Unread read={details} what="the billing details" />}
      {data && data.name === null && (
        <div className="card-body quiet" role="status">
          There are no details yet. The next invoice will show them as the buyer.
        </div>
      )}
      {data && data.name !== null && (
        <div className="card-body">
          <Facts
            facts={[
              ['Name', data.name],
              ['Address', linesOf(data.address)],
              ['Country', data.country && (regions.of(data.country) ?? data.country)],
              ['Tax id', data.tax_id],
              ['Purchase order', data.purchase_order],
            ]}
          />
        </div>
      )}
      {isChanging && data && <ChangeDetails details={data} onClose={() => setChanging(false)} />}
    </Card>
  )
}

function linesOf(address: BillingDetails['address']): string | null {
  if (!address) return null
  const { line1, line2, city, postal_code, state } = address
  return [line1, line2, `${postal_code} ${city}`.trim(), state].filter(Boolean).join(', ')
}

const fields = ['name', 'address', 'country', 'tax_id', 'purchase_order']

interface ChangeDetailsProps {
  readonly details: BillingDetails
  readonly onClose: () => void
}

function ChangeDetails({ details, onClose }: ChangeDetailsProps) {
  const save = useAct(async (values: FormData) => {
    const text = (name: string) => textOf(values, name)
    await acting.billing.changeDetails({
      name: text('name') ?? '',
      address: {
        ...{ line1: text('line1') ?? '', line2: text('line2') ?? null, city: text('city') ?? '' },
        ...{ postal_code: text('postal_code') ?? '', state: text('state') ?? null },
      },
      country: (text('country') ?? '') as ChangeBillingDetailsRequest['country'],
      tax_id: text('tax_id') ?? null,
      purchase_order: text('purchase_order') ?? null,
    })
    await queries.invalidateQueries({ queryKey: ['billing', 'details'] })
    onClose()
  })
  const errors = fieldErrors(save.problem)
  const { address } = details
  const input = (name: string, label: string, value: string | null | undefined) => (
    <TextInput {...{ name, label, defaultValue: value ?? '', error: errors[name] }} />
  )
  return (
    <FormDialog
      {...{ title: 'Billing details', submit: 'Save', onClose, fields }}
      {...{ isBusy: save.isBusy, problem: save.problem }}
      onSubmit={(values) => void save.run(values)}
    >
      {input('name', 'Name', details.name)}
      {input('line1', 'Street and number', address?.line1)}
      {input('line2', 'Second line of the address', address?.line2)}
      {input('postal_code', 'Postal code', address?.postal_code)}
      {input('city', 'City', address?.city)}
      {input('state', 'State or region', address?.state)}
      {errors.address && <div className="field-error small">Address: {errors.address}</div>}
      <NativeSelect
        {...{ name: 'country', label: 'Country', defaultValue: details.country ?? '' }}
        data={[{ value: '', label: 'Choose one' }, ...countries]}
        error={errors.country}
      />
      {input('tax_id', 'Tax id', details.tax_id)}
      {input('purchase_order', 'Purchase order', details.purchase_order)}
    </FormDialog>
  )
}
