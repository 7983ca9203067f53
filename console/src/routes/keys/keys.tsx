import { Screen } from '../../components/screen.tsx'

export default function Keys() {
  return <Screen title="Keys">…</Screen>
}
