import { Textarea, TextInput } from '@mantine/core'
import type { OAuthApp } from 'credit-gateway-sdk'
import { acting, queries } from '../../api.ts'
import { FormDialog, textOf } from '../../components/forms/form-dialog.tsx'
import { fieldErrors } from '../../components/problem.tsx'
import { useAct } from '../../data/act.ts'
import { AppScopes } from './app-scopes.tsx'

interface ChangeAppProps {
  readonly app: OAuthApp
  readonly onClose: () => void
}

const links = [
  ['client_uri', 'Home page'],
  ['policy_uri', 'Privacy policy'],
  ['tos_uri', 'Terms of service'],
] as const

const fields = ['client_name', 'redirect_uris', 'scope', ...links.map(([name]) => name)]

export function ChangeApp({ app, onClose }: ChangeAppProps) {
  const change = useAct(async (values: FormData) => {
    const lines = (textOf(values, 'redirect_uris') ?? '').split(/\s+/)
    await acting.oauthApps.change({
      ...{ client_id: app.client_id, client_name: textOf(values, 'client_name') ?? '' },
      ...{
        redirect_uris: lines.filter((line) => line !== ''),
        scope: textOf(values, 'scope') ?? '',
      },
      ...Object.fromEntries(links.map(([name]) => [name, textOf(values, name) ?? null])),
    })
    await queries.invalidateQueries({ queryKey: ['apps'] })
    onClose()
  })
  const errors = fieldErrors(change.problem)
  // A problem of one entry is `redirect_uris.0`.
  const uriError = Object.entries(errors).find(([name]) => name.startsWith('redirect_uris'))?.[1]
  return (
    <FormDialog
      {...{ title: `Edit ${app.client_name}`, submit: 'Save', onClose, size: 'lg', fields }}
      {...{ isBusy: change.isBusy, problem: change.problem }}
      onSubmit={(values) => void change.run(values)}
    >
      <div className="notice" data-kind="caution">
        A new redirect host or scope signs everybody out of this app: people are asked again.
      </div>
      <TextInput
        {...{ name: 'client_name', label: 'Name', required: true, 'data-autofocus': true }}
        {...{ defaultValue: app.client_name, error: errors.client_name }}
      />
      <Textarea
        {...{ name: 'redirect_uris', label: 'Redirect URIs', required: true, autosize: true }}
        {...{ minRows: 2, defaultValue: app.redirect_uris.join('\n'), error: uriError }}
        description="The addresses to which people return, one on each line."
      />
      <AppScopes initial={app.scope} error={errors.scope} />
      {links.map(([name, label]) => (
        <TextInput
          key={name}
          {...{ name, label, defaultValue: app[name] ?? '', error: errors[name] }}
        />
      ))}
    </FormDialog>
  )
}
