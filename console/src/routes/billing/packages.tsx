import { Button, NativeSelect, Text } from '@mantine/core'
import type { Billing, CheckoutPreview, CreditPackage, PaymentMethod } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, gateway, queries } from '../../api.ts'
import { Facts } from '../../components/facts.tsx'
import { Amount } from '../../components/figures.tsx'
import { FormDialog, textOf } from '../../components/forms/form-dialog.tsx'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { Money } from '../../components/money.tsx'
import { fieldErrors } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { useAct } from '../../data/act.ts'
import { useCredits } from '../../data/charges.ts'
import { useRead } from '../../data/read.ts'
import { tell } from '../../data/tell.ts'
import { creditsText, money } from '../../format/numbers.ts'
import { root } from '../../place.ts'
import { nameOf, usePaymentMethods } from './methods.tsx'

/** The packages on sale. */
export function Packages({ billing }: { readonly billing: Billing }) {
  const [chosen, setChosen] = useState<CreditPackage | null>(null)
  return (
    <Card title="Credit packages" actions={<AvailableCredits />}>
      <ul className="packages">
        {billing.credit_packages.map((offer) => (
          <li key={offer.id}>
            <div>
              <div className="package-name">{offer.name}</div>
              <div className="package-credits">
                <Amount value={offer.credits} /> <span className="small">credits</span>
              </div>
              <div className="quiet">
                <Money cents={offer.price_cents} currency={offer.currency} />
                <span className="small">
                  {' '}
                  · {money({ ...offer, cents: perThousand(offer) })} per 1,000
                </span>
              </div>
            </div>
            <PermittedButton
              {...{ scope: 'billing:write', variant: 'default', size: 'xs' }}
              aria-label={`Buy ${offer.name}`}
              onClick={() => setChosen(offer)}
            >
              Buy
            </PermittedButton>
          </li>
        ))}
      </ul>
      {chosen && <Buy offer={chosen} onClose={() => setChosen(null)} />}
    </Card>
  )
}

/** What the account has before it buys more. */
function AvailableCredits() {
  const { data } = useCredits()
  if (!data) return null
  return <span className="quiet small">You have {creditsText(data.available)}</span>
}

function perThousand({ price_cents, credits }: CreditPackage): number {
  return Math.round((price_cents / credits) * 1000)
}

interface BuyProps {
  readonly offer: CreditPackage
  readonly onClose: () => void
}

/**
 * Buys with a stored card at once, or on the page of the payment provider, which leads back here. What is paid,
 * tax included, stands there before.
 */
function Buy({ offer, onClose }: BuyProps) {
  const methods = usePaymentMethods()
  const listed = methods.data?.items ?? []
  const stored = listed.toSorted((one, other) => Number(other.default) - Number(one.default))
  const price = useRead<CheckoutPreview>(
    ['billing', 'price', offer.id],
    (options) => gateway.billing.previewCheckout({ package_id: offer.id }, options),
    { scopes: ['billing:read'] },
  )
  const [chosen, setChosen] = useState<string | null>(null)
  const card = stored.find(({ id }) => id === (chosen ?? stored[0]?.id))
  const buy = useAct(async (values: FormData) => {
    const payment_method = textOf(values, 'payment_method')
    const { data } = await acting.billing.checkout({
      ...{ package_id: offer.id, return_url: new URL('billing', root).href },
      ...(payment_method && { payment_method }),
    })
    if (data.action_url) {
      location.assign(data.action_url)
      return data
    }
    await queries.invalidateQueries({ queryKey: ['billing'] })
    await queries.invalidateQueries({ queryKey: ['credits'] })
    return data
  })
  const errors = fieldErrors(buy.problem)
  return (
    <FormDialog
      {...{ title: `Buy ${offer.name}`, submit: submitOf(price.data, card), onClose }}
      {...{ isBusy: buy.isBusy, problem: buy.problem ?? price.error, fields: ['payment_method'] }}
      isReady={Boolean(price.data && methods.data)}
      onSubmit={async (values) => {
        const checkout = await buy.run(values)
        // While the browser loads the page of the provider, this page does not change.
        if (!checkout || checkout.action_url) return
        onClose()
        void tell(
          checkout.status === 'failed'
            ? (checkout.failure_reason ?? 'The payment failed.')
            : checkout.status === 'paid'
              ? `${creditsText(checkout.credits)} were added.`
              : 'The payment is in progress. You get the credits when it is collected.',
        )
      }}
    >
      <Text size="sm">
        You get {creditsText(offer.credits)} when the payment is collected. They do not expire.
      </Text>
      {price.data && <PriceFacts price={price.data} />}
      {stored.length > 0 ? (
        <NativeSelect
          {...{ name: 'payment_method', label: 'Pay with', error: errors.payment_method }}
          data={[
            ...stored.map(toChoice),
            { value: '', label: 'another card, on the payment page' },
          ]}
          key={stored.length}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      ) : (
        methods.data && (
          <Text size="sm">You enter your card on the page of the payment provider.</Text>
        )
      )}
    </FormDialog>
  )
}

function submitOf(price: CheckoutPreview | undefined, card: PaymentMethod | undefined): string {
  if (!price || !card) return 'Continue to payment'
  return `Pay ${money({ ...price, cents: price.total_cents })} with ${nameOf(card)}`
}

function PriceFacts({ price }: { readonly price: CheckoutPreview }) {
  const { price_cents, tax_cents, total_cents, currency } = price
  return (
    <Facts
      facts={[
        ['Price', <Money key="net" cents={price_cents} currency={currency} />],
        ['Tax', <Money key="tax" cents={tax_cents} currency={currency} />],
        [
          'Total',
          <strong key="total">
            <Money cents={total_cents} currency={currency} />
          </strong>,
        ],
      ]}
    />
  )
}

function toChoice(method: PaymentMethod) {
  return { value: method.id, label: nameOf(method) }
}

/** The link to the page on which the payer continues a payment. */
export function PayLink({ url, label }: { readonly url: string; readonly label: string }) {
  return (
    <Button component="a" href={url} variant="default" size="xs">
      {label}
    </Button>
  )
}
