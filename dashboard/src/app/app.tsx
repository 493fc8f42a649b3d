import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { ApiProblem } from '../api.ts'
import { Toasts } from '../ui/toast.tsx'
import { Verification } from '../ui/verification.tsx'
import { router } from './router.tsx'

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, query) {
      // The key was revoked or the session has ended: the shell asks who we are, and shows the sign-in page.
      const isOver = error instanceof ApiProblem && error.status === 401 && query.queryKey[0] !== 'session'
      if (isOver) queries.invalidateQueries({ queryKey: ['session'] })
    },
  }),
  defaultOptions: {
    queries: {
      // Changes come through /dashboard/live; there is no polling.
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (count, error) => !(error instanceof ApiProblem && error.status >= 400) && count < 2,
    },
  },
})

export function App() {
  return (
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      <Toasts />
      <Verification />
    </QueryClientProvider>
  )
}
