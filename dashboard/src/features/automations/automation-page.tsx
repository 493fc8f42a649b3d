import { useParams } from '@tanstack/react-router'
import { useCall } from '../../queries.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { AutomationEditor } from './editor.tsx'

export function AutomationPage() {
  const { id } = useParams({ from: '/automations/$id' })
  const automation = useCall('automations.get', { id })
  if (automation.isPending) return <Loading />
  if (automation.isError) return <Failed error={automation.error} onRetry={() => automation.refetch()} />
  return <AutomationEditor key={id} automation={automation.data} />
}
