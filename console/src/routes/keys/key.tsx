import { Screen } from '../../components/screen.tsx'

export default function Key() {
  return <Screen title="API key">…</Screen>
}
