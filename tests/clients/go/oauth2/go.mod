// What the generated client uses of the module of this name; the evening needs no OAuth.
module golang.org/x/oauth2

go 1.23
