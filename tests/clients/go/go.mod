// The generated client, whose own go.mod this replaces, so that Go's registry is not needed.
module kingscore

go 1.23

require (
	golang.org/x/oauth2 v0.0.0
	gopkg.in/validator.v2 v2.0.0
)

replace golang.org/x/oauth2 => ./oauth2

replace gopkg.in/validator.v2 => ./validator
