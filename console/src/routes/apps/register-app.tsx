import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import type { CreateOAuthAppRequest, RegisteredOAuthApp } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, queries } from '../../api.ts'
import { FormDialog, textOf } from '../../components/forms/form-dialog.tsx'
import { OneTimeSecret } from '../../components/forms/one-time-secret.tsx'
import { fieldErrors } from '../../components/problem.tsx'
import { useAct } from '../../data/act.ts'
import { AppScopes } from './app-scopes.tsx'

const types = [
  { value: 'web', label: 'on a server: it can keep a secret' },
  { value: 'spa', label: 'in the browser' },
  { value: 'native', label: 'on phones or desktops' },
]

const fields = ['client_name', 'redirect_uris', 'application_type', 'scope', 'client_uri']

/** Empty inputs are not sent: the API has defaults for them. */
function readApp(values: FormData): CreateOAuthAppRequest {
  const [scope, client_uri] = [textOf(values, 'scope'), textOf(values, 'client_uri')]
  const lines = (textOf(values, 'redirect_uris') ?? '').split(/\s+/)
  return {
    client_name: textOf(values, 'client_name') ?? '',
    redirect_uris: lines.filter((line) => line !== ''),
    application_type: types.find(({ value }) => value === values.get('application_type'))
      ?.value as NonNullable<CreateOAuthAppRequest['application_type']>,
    require_pkce: values.get('require_pkce') !== null,
    ...(scope && { scope: scope.split(/\s+/).join(' ') }),
    ...(client_uri && { client_uri }),
  }
}

export function RegisterApp({ onClose }: { readonly onClose: () => void }) {
  const [registered, setRegistered] = useState<RegisteredOAuthApp | null>(null)
  const register = useAct(
    async (values: FormData) => (await acting.oauthApps.register(readApp(values))).data,
  )
  if (registered) {
    const { client_id, client_secret } = registered
    return (
      <OneTimeSecret
        title={`${registered.client_name} is registered`}
        advice={
          client_secret
            ? 'The app proves its identity with this secret.'
            : 'This app has no secret: it proves each sign-in by PKCE.'
        }
        isSecret={client_secret !== undefined}
        values={[
          ['Client ID', client_id],
          ...(client_secret ? [['Client secret', client_secret] as const] : []),
        ]}
        onClose={onClose}
      />
    )
  }
  const errors = fieldErrors(register.problem)
  return (
    <FormDialog
      {...{ title: 'Register an app', submit: 'Register app', onClose, size: 'lg', fields }}
      {...{ isBusy: register.isBusy, problem: register.problem }}
      onSubmit={async (values) => {
        const app = await register.run(values)
        if (!app) return
        setRegistered(app)
        void queries.invalidateQueries({ queryKey: ['apps'] })
      }}
    >
      <TextInput
        {...{ name: 'client_name', label: 'Name', required: true, 'data-autofocus': true }}
        {...{ description: 'People see it when they are asked to let the app in.' }}
        error={errors.client_name}
      />
      <Textarea
        {...{ name: 'redirect_uris', label: 'Redirect URIs', required: true, autosize: true }}
        {...{ minRows: 2, placeholder: 'https://app.example.com/callback' }}
        description="The addresses to which people return, one on each line."
        error={errors.redirect_uris}
      />
      <NativeSelect
        {...{ name: 'application_type', label: 'Where it runs', data: types }}
        error={errors.application_type}
      />
      <AppScopes initial="openid" error={errors.scope} />
      <TextInput
        {...{ name: 'client_uri', label: 'Home page', placeholder: 'https://app.example.com' }}
        error={errors.client_uri}
      />
      <Checkbox
        name="require_pkce"
        label="Require PKCE, although it has a secret"
        description="Apps without a secret always must."
      />
    </FormDialog>
  )
}
