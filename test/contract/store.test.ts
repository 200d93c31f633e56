import { openMemoryStore } from '#store/memory.ts'
import { storeContract } from './store.ts'

storeContract('memory', (options) => Promise.resolve(openMemoryStore(options)))
