import { useEffect } from 'react'
import { checkConnection, onReconnected } from '../connection.ts'
import { Button } from '../ui/button.tsx'
import { Empty, Failed } from '../ui/states.tsx'
import { texts } from './texts.ts'

/** The program of a page could not be fetched: the service is away, or has another build by now. */
export class PageLoadError extends Error {}

/** Reloads only when there is something to load: otherwise the browser would show its own error instead of the dashboard. */
const reload = () => void checkConnection().then((isReachable) => isReachable && location.reload())

/** Instead of a page that failed. The rest of the dashboard stays. */
export function PageFailed({ error }: { error: Error }) {
  const isUnloaded = error instanceof PageLoadError
  useEffect(() => {
    if (!isUnloaded) return
    void checkConnection()
    return onReconnected(reload)
  }, [isUnloaded])
  if (!isUnloaded) return <Failed error={error} onRetry={reload} />
  return (
    <Empty icon="page" title={texts.pageFailed.title}>
      <p className="muted">{texts.pageFailed.note}</p>
      <Button look="primary" onClick={reload}>
        {texts.pageFailed.reload}
      </Button>
    </Empty>
  )
}
