import { Screen } from '../../components/screen.tsx'

export default function Settings() {
  return <Screen title="Settings">…</Screen>
}
