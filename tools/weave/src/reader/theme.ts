const root = document.documentElement
root.classList.add('scripted')
try {
  const chosen = localStorage.getItem('theme')
  if (chosen === 'light' || chosen === 'dark') root.dataset.theme = chosen
} catch {}
