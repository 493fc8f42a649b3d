import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import './ui/base.css'
import './ui/parts.css'
import './ui/pieces.css'
import './features/features.css'
import './app/layout.css'

createRoot(document.getElementById('root')!).render(<App />)
