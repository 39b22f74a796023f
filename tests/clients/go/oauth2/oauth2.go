package oauth2

import "net/http"

type Token struct{}

func (*Token) SetAuthHeader(*http.Request) {}

type TokenSource interface{ Token() (*Token, error) }
