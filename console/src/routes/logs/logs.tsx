import { Screen } from '../../components/screen.tsx'

export default function Logs() {
  return <Screen title="Logs">…</Screen>
}
